import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createBoard } from '../../../src/core/board.js';
import { systemClock } from '../../../src/engine/system-clock.js';
import { createKillSwitch } from '../../../src/probe/kill-switch/kill-switch.js';
import { createManualClock } from '../../../src/testing/manual-clock.js';
import { createLog } from '../../engine/support.js';
import { bundleProgram, eventually } from '../../support/program.js';
import { type WatchedProcess, startWatched } from '../../support/watched-process.js';

let program: { file: string; remove: () => void };
const running: WatchedProcess[] = [];

beforeAll(async () => {
  program = await bundleProgram('armed-process');
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

afterAll(() => program?.remove());

function start(...args: readonly (string | number)[]): WatchedProcess {
  const started = startWatched([process.execPath, program.file, ...args.map(String)]);
  running.push(started);
  return started;
}

describe('the thread of the kill switch', () => {
  it('H3: one that crashed is started again, and watches', async () => {
    const { ended, lines } = start(2);
    expect((await ended).signal).toBe('SIGKILL');
    expect(lines('lease_deadline_kill')).toMatchObject([{ lease: 'orders' }]);
  });

  it('H3: a deadline that moves on kills nobody before the last one', async () => {
    const startedAt = performance.now();
    const { ended } = start(0, 8);
    const { signal, at } = await ended;
    expect(signal).toBe('SIGKILL');
    expect(at - startedAt).toBeGreaterThan(8 * 200 + 500);
  });

  it('D1: keeps no process alive that has nothing left to do', async () => {
    const startedAt = performance.now();
    const { code, at } = await start(0, 0, 'end').ended;
    expect(code).toBe(0);
    expect(at - startedAt).toBeLessThan(5000);
  });

  it('H3: one that cannot run is told of, once it has been tried often enough', async () => {
    const { logger, lines } = createLog();
    const clock = createManualClock();
    const given = { board: createBoard(), clock, logger, enabled: true, realTime: true };
    const threadSource = 'throw new Error("no such thing")';
    const killSwitch = createKillSwitch({ ...given, threadSource });
    killSwitch.arm();
    const line = await eventually('line', async () => {
      await clock.advance(100);
      return lines[0];
    });
    expect(line).toMatchObject({
      level: 'error',
      fields: { event: 'kill_switch_missing', why: 'no such thing, again and again' },
    });
    await killSwitch.dispose();
    expect([lines.length, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('ends with dispose(), whether it had begun to watch or not', async () => {
    const { logger, lines } = createLog();
    const threads: Worker[] = [];
    const note = (worker: Worker): void => void threads.push(worker);
    process.on('worker', note);
    for (const waitMs of [0, 300]) {
      const given = { board: createBoard(), clock: systemClock, logger };
      const killSwitch = createKillSwitch({ ...given, enabled: true, realTime: true });
      killSwitch.arm();
      killSwitch.set({ at: systemClock.now() + 60_000, lease: 'orders' });
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      await killSwitch.dispose();
      await killSwitch.dispose();
    }
    expect(lines).toEqual([]);
    process.off('worker', note);
    // What a thread that has ended answers.
    expect(threads.map(({ threadId }) => threadId)).toEqual([-1, -1]);
  });
});
