import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Libsql from 'libsql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/engine/system-clock.js';
import { type SqliteLeaseHandle, sqliteLease } from '../../src/lease/stores/sqlite.js';
import { bundleProgram, eventually } from '../support/program.js';
import { RUNTIMES } from '../support/runtimes.js';
import {
  type WatchOptions,
  type WatchedProcess,
  asFirstProcess,
  startWatched,
} from '../support/watched-process.js';

const TTL_MS = 3000;
const NODE = [process.execPath];
const WAYS = ['loop', 'regular expression', 'child process', 'Atomics.wait'] as const;

let folder: string;
let file: string;
let program: { file: string; remove: () => void };
let store: ReturnType<typeof sqliteLease>;
const running: WatchedProcess[] = [];
let names = 0;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'hale-kill-'));
  file = path.join(folder, 'leases.db');
  program = await bundleProgram('blocked-holder');
  const database = new Libsql(file) as unknown as SqliteLeaseHandle;
  store = sqliteLease(database, { busyTimeoutMs: 2000 });
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

afterAll(() => {
  store?.close?.();
  program?.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Start extends WatchOptions {
  readonly runtime?: readonly string[];
  readonly first?: boolean;
  readonly memory?: boolean;
  readonly [setting: string]: unknown;
}

function start(
  block: string,
  { runtime = NODE, first = false, memory = false, ...more }: Start = {},
) {
  const name = `lease ${(names += 1)}`;
  const { env, unread, ...settings } = more;
  const where = memory ? {} : { file };
  const given = { from: import.meta.url, ...where, name, ttlMs: TTL_MS, block, ...settings };
  const command = [...runtime, program.file, JSON.stringify(given)];
  const started = startWatched(first ? asFirstProcess(command) : command, {
    ...(env === undefined ? {} : { env }),
    ...(unread === undefined ? {} : { unread }),
  });
  running.push(started);
  return { name, process: started };
}

const call = () => ({ clock: systemClock, signal: new AbortController().signal });

async function recordOf(name: string) {
  return (await store.list({}, call())).find((record) => record.name === name);
}

/** The registry's word for it: somebody holds the lease. */
const held = (name: string, withinMs = 30_000) =>
  eventually(`holder of ${name}`, () => recordOf(name), withinMs);

/** Asks for the lease until it is granted; says when, and which token. */
async function takeOver(name: string) {
  const request = { name, holder: 'successor', ttlMs: 1000, data: '' };
  return eventually(
    'successor',
    async () => {
      const answer = await store.acquire(request, call());
      return answer.kind === 'granted' ? { token: answer.token, at: performance.now() } : undefined;
    },
    30_000,
  );
}

/** Waits until it has ended, and looks at what the registry knew then. */
async function endOf({ name, process: holder }: ReturnType<typeof start>) {
  await held(name);
  const { code, signal } = await holder.ended;
  const record = await recordOf(name);
  return { name, code, signal, record, line: holder.lines('lease_deadline_kill')[0] };
}

describe.each([false, true])('a blocked main loop, as process 1: %s', (first) => {
  it('H3: whatever blocks it, is killed before the registry lets another have the lease', async () => {
    const ends = await Promise.all(WAYS.map((way) => endOf(start(way, { first }))));
    expect(ends).toHaveLength(4);
    for (const { name, code, signal, record, line } of ends) {
      expect([code, signal]).toEqual([null, first ? 'SIGTRAP' : 'SIGKILL']);
      // Neither released nor expired: nobody can have had it while the process lived.
      expect(record?.expiresInMs).toBeGreaterThan(0);
      expect(line).toMatchObject({
        level: 'error',
        lease: name,
        main: { state: expect.any(String) },
      });
      expect(line?.['loopStoodStillMs']).toBeGreaterThan(1000);
      expect(line?.['lateMs']).toBeLessThan(400);
      const next = await takeOver(name);
      expect(next.token).toBeGreaterThan(record?.token ?? 0n);
    }
  });

  it('H3: with the switch off it lives on while another has the lease', async () => {
    const { name, process: holder } = start('loop', { first, env: { HALE_KILL_SWITCH: 'off' } });
    await held(name);
    expect((await takeOver(name)).token).toBe(2n);
    expect(holder.isOver()).toBe(false);
    expect(holder.lines('kill_switch_off')).toHaveLength(1);
    await holder.stop();
  });
});

describe('the kill switch of a process', () => {
  it.each([
    ['inline', { isolation: 'inline' }],
    // The probe thread logs the stall, and waits for whoever reads.
    ['with a standard error that nobody reads', { unread: true }],
  ])('H3: %s: ends it in time', async (what, options) => {
    const block = 'unread' in options ? 'standard error' : 'loop';
    const { signal, record } = await endOf(start(block, options));
    expect([what, signal]).toEqual([what, 'SIGKILL']);
    expect(record?.expiresInMs).toBeGreaterThan(0);
  });

  it.each([
    ['blocked', 'loop', [[null, 'SIGKILL']]],
    // Whichever thread is the first to run.
    [
      'turning',
      'nothing',
      [
        [null, 'SIGKILL'],
        [1, null],
      ],
    ],
  ] as const)('H8: ends a %s one as it wakes up, frozen past its lease', async (_, way, ends) => {
    const { name, process: holder } = start(way);
    // Not the registry's word: frozen before it hears of its grant, it would drop it as too late, and go on without.
    await eventually('word of the grant', () => holder.lines('held')[0], 30_000, holder.stderr);
    holder.kill('SIGSTOP');
    await takeOver(name);
    const wokenAt = performance.now();
    holder.kill('SIGCONT');
    const { code, signal, at } = await holder.ended;
    expect(ends).toContainEqual([code, signal]);
    expect(at - wokenAt).toBeLessThan(2000);
    for (const { lateMs } of holder.lines('lease_deadline_kill'))
      expect(lateMs).toBeGreaterThan(400);
  });

  it('H3: leaves alone who has given its lease up, and who renews it', async () => {
    const released = start('shortly', { release: true });
    const renewed = start('nothing');
    await held(renewed.name);
    const [{ code, signal }] = await Promise.all([released.process.ended, delay(1.2 * TTL_MS)]);
    expect([code, signal]).toEqual([0, null]);
    expect(released.process.lines('went on')).toHaveLength(1);
    expect(renewed.process.isOver()).toBe(false);
    expect((await recordOf(renewed.name))?.token).toBe(1n);
    expect(renewed.process.lines('lease_deadline_kill')).toEqual([]);
  });

  it('H3: where threads are forbidden, says so and what to allow', async () => {
    const runtime = [...NODE, '--experimental-permission', '--allow-fs-read=*'];
    const { process: holder } = start('nothing', { runtime, memory: true, isolation: 'inline' });
    const line = await eventually('line', () => holder.lines('kill_switch_missing')[0], 30_000);
    expect(line['msg']).toMatch(/--allow-worker.*outlives its lease/);
    expect(line['level']).toBe('error');
  });
});

describe.each(RUNTIMES.filter(({ name }) => name !== 'node'))('on $name', ({ command, args }) => {
  const options = { runtime: [command, ...args], memory: true } as const;

  it('H3: a blocked main loop is killed, by the clock of the main thread', async () => {
    const { process: holder } = start('loop', options);
    await eventually('grant', () => holder.lines('held')[0], 30_000, holder.stderr);
    const heldAt = performance.now();
    const { signal, at } = await holder.ended;
    expect([signal, holder.lines('went on')]).toEqual(['SIGKILL', []]);
    // The deadline is 2470 ms after the request, which the grant in memory follows at once.
    expect(at - heldAt).toBeGreaterThan(1900);
    expect(at - heldAt).toBeLessThan(TTL_MS);
  });

  it('H3: as process 1 it gets no lease, and is told what helps', async () => {
    const { process: holder } = start('nothing', { ...options, first: true });
    const { code } = await holder.ended;
    const [line] = holder.lines('failed');
    expect(line).toMatchObject({ code: 'HALE_KILL_SWITCH_UNAVAILABLE' });
    expect(line?.['text']).toMatch(/docker run --init/);
    expect(code).toBe(0);
  });
});
