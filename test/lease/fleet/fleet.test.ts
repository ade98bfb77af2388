import { describe, expect, it } from 'vitest';
import { createLog } from '../../engine/support.js';
import { instanceData } from '../../../src/lease/fleet/instance-data.js';
import { TTL, names, setUpFleet } from './support.js';

/** Two that beat every ten seconds, for long enough to have a rhythm, and a registry that is settled. */
async function settled(options: Parameters<typeof setUpFleet>[0] = {}) {
  const all = setUpFleet(options);
  all.registry.beat('a');
  all.registry.beat('b');
  all.registry.sync();
  await all.beatFor(200_000, ['a', 'b']);
  all.take();
  return all;
}

describe('a fleet', () => {
  it('H7: knows nothing before the registry has told everything', async () => {
    const { fleet, registry, take, states } = setUpFleet();
    expect(fleet.view()).toMatchObject({ registry: 'connecting', total: 0 });
    registry.beat('a');
    expect(states()).toEqual({ a: 'unknown' });
    const waiting = fleet.synced();
    registry.sync();
    await waiting;
    expect(states()).toEqual({ a: 'up' });
    expect(take()).toEqual(['joined a', 'registry_back']);
    expect(fleet.view()).toMatchObject({ registry: 'settling', counts: { up: 1 } });
  });

  it('H7: tells the state, the age, the token and what an instance says of itself', async () => {
    const { fleet, registry, clock } = setUpFleet();
    const startedAt = new Date(clock.wallNow() - 60_000).toISOString();
    const info = { version: '1.4.2', startedAt, phase: 'running', status: 'pass' } as const;
    registry.beat('a', { token: 7n, data: instanceData({ ...info, reason: 'ok' }) });
    registry.beat('b', { data: 'not of hale' });
    registry.sync();
    await clock.advance(4000);
    const [a, b] = fleet.list();
    expect(a).toMatchObject({
      ...{ name: 'a', holder: 'a#1', token: 7n, state: 'up', held: false, ttlMs: TTL },
      ...{ ageMs: 64_000, silentMs: 4000, inStateMs: 4000 },
      info: { ...info, reason: 'ok' },
    });
    expect(a?.phi).toBeLessThan(0.01);
    expect(b).toMatchObject({ ageMs: 4000, info: {} });
  });

  it('H7: names what is no lease, in the log too, and goes on', async () => {
    const log = createLog();
    const { registry, events, states } = setUpFleet({ logger: log.logger });
    registry.beat('a');
    registry.tell({ kind: 'foreign', key: 'hale/lease/x' });
    expect(events.at(-1)).toEqual({ kind: 'foreign', key: 'hale/lease/x' });
    expect(states()).toEqual({ a: 'unknown' });
    registry.sync();
    expect(states()).toEqual({ a: 'up' });
    expect(log.lines).toEqual([
      {
        level: 'warn',
        fields: { event: 'fleet_foreign_entry', backend: 'memory', key: 'hale/lease/x' },
        message: 'an entry below the prefix is no lease of hale, and left out',
      },
    ]);
  });

  it.each([
    ['', { orders: 'up' }],
    ['permits/orders/', { 'permits/orders/0': 'up', orders: 'up' }],
  ])('H7: takes permits for instances only when it is asked for them: %j', (prefix, expected) => {
    const { registry, states } = setUpFleet({ prefix });
    registry.beat('orders');
    registry.beat('permits/orders/0');
    registry.sync();
    registry.free('permits/orders/1');
    expect(states()).toEqual(expected);
  });

  it('H1: suspects one that is silent, and declares it down within three heartbeats', async () => {
    const { clock, registry, take, fleet } = await settled();
    await clock.advance(0);
    const tell = async (ms: number) => {
      await clock.advance(ms);
      registry.beat('b');
      return take();
    };
    // The last heartbeat of a was ten seconds ago.
    expect(await tell(9_000)).toEqual([]);
    expect(await tell(6_000)).toEqual([]);
    expect(await tell(500)).toEqual(['suspect a']);
    expect(await tell(500)).toEqual([]);
    expect(await tell(600)).toEqual(['down a']);
    expect(fleet.list()[0]).toMatchObject({ name: 'a', state: 'down', held: false });
    expect(fleet.list()[0]?.silentMs).toBeLessThan(27_000);
    registry.beat('a');
    expect(take()).toEqual(['recovered a']);
    expect(fleet.view().counts).toEqual({ up: 2, suspect: 0, down: 0, unknown: 0 });
  });

  it('H7: judges by fixed time-outs when asked to', async () => {
    const { clock, registry, take } = await settled({ detector: { kind: 'timeout' } });
    const at: string[] = [];
    for (let seconds = 11; seconds <= 30; seconds += 1) {
      registry.beat('b');
      await clock.advance(1000);
      for (const event of take()) at.push(`${seconds} ${event}`);
    }
    expect(at).toEqual(['20 suspect a', '30 down a']);
  });

  it('H7: what has no ttl is no lease, and does not make it look without a pause', async () => {
    const { clock, registry, take, fleet } = await settled();
    for (const ttlMs of [NaN, -1, 0, Infinity]) registry.beat('c', { ttlMs });
    registry.beat('a', { ttlMs: NaN });
    await clock.advance(1000);
    expect([take(), fleet.list().map(({ name }) => name)]).toEqual([[], ['a', 'b']]);
    // One look is due within a second.
    expect(clock.pendingTimers).toBe(1);
  });

  it('H7: tells a release from an end without a word', async () => {
    const { clock, registry, take, states } = await settled();
    registry.free('a');
    await clock.advance(1000);
    expect(take()).toEqual(['left a']);
    registry.beat('b');
    await clock.advance(20_000);
    registry.beat('c');
    await clock.advance(7_500);
    expect(take()).toEqual(['joined c', 'suspect b', 'down b']);
    registry.free('b');
    await clock.advance(1000);
    expect(states()).toEqual({ b: 'down', c: 'up' });
  });

  it('H7: takes the end of a lease that has expired for the end of its holder', async () => {
    const { clock, registry, take } = await settled({
      detector: { kind: 'phi', downPhi: 90, suspectPhi: 80, pauseMs: 29_000 },
      preserve: false,
    });
    registry.beat('b');
    await clock.advance(18_000);
    registry.free('a');
    await clock.advance(100);
    expect(take()).toEqual(['suspect a', 'down a']);
  });

  it('H7: knows that one that drains has left, however late its lease ends', async () => {
    const { clock, registry, take } = await settled();
    registry.beat('a', { data: instanceData({ phase: 'draining', status: 'fail' }) });
    expect(take()).toEqual(['changed a']);
    registry.beat('b');
    await clock.advance(25_500);
    expect(take()).toEqual(['suspect a', 'suspect b']);
    registry.free('a');
    await clock.advance(100);
    expect(take()).toEqual(['left a']);
  });

  it('H7: takes another holder of the same name for another instance', async () => {
    const { registry, take, fleet } = await settled();
    registry.beat('a', { holder: 'a#2', token: 2n });
    expect(take()).toEqual(['left a', 'joined a']);
    // What was true of the one before.
    registry.free('a', 1n);
    registry.beat('a', { holder: 'a#2', token: 3n });
    expect(take()).toEqual([]);
    expect(fleet.list()[0]).toMatchObject({ holder: 'a#2', token: 3n, state: 'up' });
  });

  it('H7: lets one that took its lease again recover, and replaces one that was down', async () => {
    const { clock, registry, take, beatFor } = await settled();
    await beatFor(30_000, ['b']);
    expect(take()).toEqual(['suspect a', 'down a']);
    registry.beat('a', { token: 2n });
    expect(take()).toEqual(['recovered a']);
    await beatFor(40_000, ['b']);
    expect(take()).toEqual(['suspect a', 'down a']);
    registry.beat('a', { holder: 'a#2', token: 3n });
    expect(take()).toEqual(['joined a']);
    await clock.advance(1);
  });

  it('H7: forgets one that has been down for long', async () => {
    const { take, beatFor, states } = await settled({ forgetAfterMs: 60_000 });
    await beatFor(70_000, ['b']);
    expect(take()).toEqual(['suspect a', 'down a']);
    await beatFor(10_000, ['b']);
    expect(take()).toEqual(['forgotten a']);
    expect(states()).toEqual({ b: 'up' });
  });

  it('H7: is not moved by what is told again, or late, or about others', async () => {
    const { clock, registry, take } = await settled();
    await clock.advance(5000);
    registry.beat('a', { revision: 'x' });
    registry.beat('b');
    await clock.advance(20_000);
    registry.beat('a', { revision: 'x' });
    registry.free('nobody');
    registry.free('a', 99n);
    registry.beat('b');
    await clock.advance(9000);
    expect(take()).toEqual(['suspect a', 'down a']);
  });

  it('H7: takes a lease that is told as gone and then as held for one that is held', async () => {
    const { clock, registry, take, states } = await settled();
    registry.beat('a', { revision: 'x' });
    registry.free('a');
    registry.beat('a', { revision: 'x' });
    await clock.advance(1000);
    expect(take()).toEqual([]);
    expect(states()).toEqual({ a: 'up', b: 'up' });
  });

  it('H7: knows how old a heartbeat is where the registry tells, and believes no more than that', async () => {
    const { clock, registry, fleet } = setUpFleet();
    registry.beat('a', { expiresInMs: 12_000 });
    registry.beat('b', { expiresInMs: 99_000 });
    registry.beat('c', { expiresInMs: -5000 });
    registry.sync();
    expect(fleet.list().map(({ silentMs }) => silentMs)).toEqual([18_000, 0, 30_000]);
    await clock.advance(10_000);
    // Of one that was seen before, no more than the time between two looks.
    registry.beat('a', { expiresInMs: 29_600 });
    registry.beat('b', { expiresInMs: 5000 });
    expect(fleet.list().map(({ silentMs }) => silentMs)).toEqual([400, 1000, 40_000]);
  });

  it('H7: contains and logs what a listener throws, and tells the others', async () => {
    const lines: unknown[] = [];
    const logger = { info() {}, warn() {}, error: (fields: unknown) => lines.push(fields) };
    const { fleet, registry, take } = setUpFleet({ logger });
    const heard: string[] = [];
    const listener = async ({ kind }: { kind: string }) => {
      heard.push(kind);
      throw new Error('broken');
    };
    const end = fleet.watch(listener);
    fleet.watch(listener);
    registry.beat('a');
    await Promise.resolve();
    expect(take()).toEqual(['joined a']);
    expect(heard).toEqual(['joined', 'joined']);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({ event: 'fleet_listener_failed', told: 'joined' });
    end();
    registry.sync();
    expect(heard).toHaveLength(3);
  });

  it('H7: leaves nothing behind', async () => {
    const { fleet, registry, clock, take } = setUpFleet();
    const waiting = fleet.synced();
    expect(clock.pendingHolds).toBe(1);
    await fleet.close();
    await expect(waiting).rejects.toMatchObject({ code: 'HALE_DISPOSED' });
    await expect(fleet.synced()).rejects.toMatchObject({ code: 'HALE_DISPOSED' });
    await fleet[Symbol.asyncDispose]();
    registry.beat('a');
    expect(take()).toEqual([]);
    expect([clock.pendingTimers, registry.closed]).toEqual([0, 2]);
  });

  it('H7: lets whoever waits stop waiting', async () => {
    const { fleet, clock } = setUpFleet();
    const abort = new AbortController();
    const waiting = fleet.synced(abort.signal);
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'HALE_ABORTED' });
    expect(clock.pendingHolds).toBe(0);
  });

  it.each([
    [{ store: {} }, /fleet.store must be a lease store/],
    [{ prefix: 1 }, /fleet.prefix must be a text/],
    [{ everyMs: 0 }, /fleet.everyMs/],
    [{ forgetAfterMs: -1 }, /fleet.forgetAfterMs/],
    [{ preserve: { share: 2 } }, /fleet.preserve.share/],
    [{ preserve: { withinMs: -1 } }, /fleet.preserve.withinMs/],
    [{ preserve: { holdMs: -1 } }, /fleet.preserve.holdMs/],
    [{ preserve: true }, /fleet.preserve/],
  ])('refuses %o', (given, message) => {
    expect(() => setUpFleet(given as never)).toThrow(message);
  });

  it('H7: stays small when names come and go', async () => {
    const { registry, clock, fleet } = setUpFleet({ forgetAfterMs: 1000, preserve: false });
    registry.sync();
    for (let round = 0; round < 5; round += 1) {
      for (const name of names(20)) registry.beat(`${name}-${round}`);
      await clock.advance(35_000);
    }
    expect(fleet.view().total).toBe(0);
  });
});
