import { describe, expect, it } from 'vitest';
import { createBoard } from '../../../src/core/board.js';
import { resolveOptions } from '../../../src/core/resolve-options.js';
import {
  type KillSwitchOptions,
  createKillSwitch,
} from '../../../src/probe/kill-switch/kill-switch.js';
import { thisRuntime } from '../../../src/probe/kill-switch/runtime.js';
import { createLog } from '../../engine/support.js';
import { createSuspendableClock } from '../../lease/support.js';

function setUp(options: Partial<KillSwitchOptions> = {}) {
  const clock = createSuspendableClock();
  const board = createBoard();
  const log = createLog();
  const given = { board, clock, logger: log.logger, enabled: true, realTime: true };
  return { clock, board, log, killSwitch: createKillSwitch({ ...given, ...options }) };
}

const events = ({ lines }: ReturnType<typeof createLog>) =>
  lines.map(({ level, fields }) => [level, fields['event']]);

describe('kill switch', () => {
  it('H3: writes the deadline with what a suspend is measured against', () => {
    const { killSwitch, board, clock } = setUp();
    clock.suspend(5000);
    killSwitch.set({ at: 30_000, lease: 'orders' });
    expect(board.leaseDeadline.read()).toMatchObject({
      deadline: { at: 30_000, bootAheadMs: 5000 },
    });
    expect(board.leaseDeadline.lease()).toBe('orders');
    killSwitch.set(undefined);
    expect(board.leaseDeadline.read().kind).toBe('none');
  });

  it('H3: one that has ended watches no deadline again, and its thread is told nothing else', async () => {
    const { killSwitch, board } = setUp();
    await killSwitch.dispose();
    killSwitch.set(undefined);
    expect(board.leaseDeadline.read().kind).toBe('closed');
    killSwitch.set({ at: 30_000, lease: 'orders' });
    expect(board.leaseDeadline.read().kind).toBe('closed');
  });

  it.each(['Bun', 'Deno'] as const)(
    'H3: %s as process 1 gets no lease, and is told what helps',
    (name) => {
      const refuse = setUp({ runtime: { name, pid: 1 } }).killSwitch;
      expect(() => refuse.admit()).toThrow(/process 1.*an init.*HALE_KILL_SWITCH=off/);
      for (const options of [
        { runtime: { name, pid: 7 } },
        { runtime: { name: 'node', pid: 1 } },
        { runtime: { name, pid: 1 }, enabled: false },
        { runtime: { name, pid: 1 }, realTime: false },
      ] as const)
        expect(setUp(options).killSwitch.admit()).toBe(undefined);
    },
  );

  it('H3: says once that it is off', async () => {
    const { killSwitch, log } = setUp({ enabled: false });
    killSwitch.arm();
    killSwitch.arm();
    expect(events(log)).toEqual([['warn', 'kill_switch_off']]);
    expect(log.lines[0]?.message).toMatch(/outlives its lease/);
    await killSwitch.dispose();
  });

  it('H3: says that a clock of the caller cannot be read by a thread', () => {
    const { killSwitch, log } = setUp({ realTime: false });
    killSwitch.arm();
    expect(events(log)).toEqual([['error', 'kill_switch_missing']]);
  });

  it('starts nothing after dispose', async () => {
    const { killSwitch, log } = setUp({ enabled: false });
    await killSwitch.dispose();
    killSwitch.arm();
    expect(log.lines).toEqual([]);
  });

  it('knows the runtime', () => {
    expect(thisRuntime()).toEqual({ name: 'node', pid: process.pid });
  });
});

describe('options of the kill switch', () => {
  it.each([
    [undefined, undefined, true],
    [false, undefined, false],
    [true, 'off', false],
    [false, 'on', true],
    [true, '', true],
  ])('leases.killSwitch %s, HALE_KILL_SWITCH %s: %s', (killSwitch, word, result) => {
    const leases = killSwitch === undefined ? {} : { killSwitch };
    expect(resolveOptions({ leases }, { HALE_KILL_SWITCH: word }).killSwitch).toBe(result);
  });

  it('refuses anything else', () => {
    expect(() => resolveOptions({ leases: { killSwitch: 'no' as never } }, {})).toThrow(
      'leases.killSwitch',
    );
    expect(() => resolveOptions({}, { HALE_KILL_SWITCH: 'false' })).toThrow(
      /HALE_KILL_SWITCH.*"on".*"off"/,
    );
  });
});
