import { describe, expect, it } from 'vitest';
import { createBoard } from '../../src/core/board.js';
import { HaleError } from '../../src/core/errors.js';
import type { LeaseDeadline } from '../../src/core/kill-switch.js';
import type { LeaseContext, LeaseParticipant } from '../../src/core/lease-host.js';
import { initialProbeState } from '../../src/core/probe-state.js';
import { resolveOptions } from '../../src/core/resolve-options.js';
import { createLeases } from '../../src/engine/leases.js';
import { createShutdown } from '../../src/engine/shutdown.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from './support.js';

function participant(name: string, impact: LeaseParticipant['impact'] = 'critical') {
  const calls: string[] = [];
  let context: LeaseContext | undefined;
  const lease: LeaseParticipant = {
    name,
    impact,
    start(given) {
      calls.push('start');
      context = given;
    },
    async release() {
      calls.push('release');
    },
    stop: () => void calls.push('stop'),
    view: () => {
      throw new Error('not needed');
    },
  };
  return { lease, calls, context: () => context as LeaseContext };
}

function setUp() {
  const clock = createManualClock();
  const board = createBoard();
  const log = createLog();
  const exits: [at: number, code: number][] = [];
  const deadlines: (LeaseDeadline | undefined)[] = [];
  const killSwitch = { arms: 0, refuse: false };
  let current = initialProbeState.gates;
  const gates = {
    get current() {
      return current;
    },
    set: (change: object) => void (current = { ...current, ...change }),
  };
  const options = resolveOptions({ shutdown: { crashDeadlineMs: 3000 } }, {}).shutdown;
  const shared = { clock, random: () => 0, logger: log.logger };
  const shutdown = createShutdown({
    ...shared,
    board,
    redact: (text) => text,
    options,
    onInFlight() {},
    onBegin() {},
  });
  const leases = createLeases({
    ...shared,
    gates,
    ...shutdown,
    exit: (code) => void exits.push([clock.now(), code]),
    killSwitch: {
      admit() {
        if (killSwitch.refuse) throw new HaleError('HALE_KILL_SWITCH_UNAVAILABLE', 'an init');
      },
      arm: () => void (killSwitch.arms += 1),
      set: (deadline) => void deadlines.push(deadline),
    },
  });
  return { clock, board, log, exits, deadlines, gates, shutdown, leases, killSwitch };
}

const fenced = Promise.resolve();

describe('leases of a process', () => {
  it('R1: readiness fails while any critical lease is missing, from the moment it joins', () => {
    const { leases, gates } = setUp();
    const [a, b, standby] = [participant('a'), participant('b'), participant('s', 'optional')];
    for (const { lease } of [a, b, standby]) leases.add(lease);
    expect(gates.current.leaseLost).toBe(true);
    leases.start();
    a.context().setMissing(false);
    expect(gates.current.leaseLost).toBe(true);
    b.context().setMissing(false);
    expect(gates.current.leaseLost).toBe(false);
    standby.context().setMissing(true);
    expect(gates.current.leaseLost).toBe(false);
    a.context().setMissing(true);
    expect(gates.current.leaseLost).toBe(true);
  });

  it('starts what joined before the process started, and at once what joins later', () => {
    const { leases } = setUp();
    const [early, late] = [participant('early'), participant('late')];
    leases.add(early.lease);
    expect(early.calls).toEqual([]);
    leases.start();
    leases.add(late.lease);
    expect([early.calls, late.calls]).toEqual([['start'], ['start']]);
  });

  it('H3: the kill switch is told the earliest deadline of all, and whose it is', () => {
    const { leases, deadlines } = setUp();
    const [a, b] = [participant('a'), participant('b')];
    for (const { lease } of [a, b]) leases.add(lease);
    leases.start();
    a.context().setDeadline(9000);
    b.context().setDeadline(8000);
    b.context().setDeadline(12_000);
    a.context().setDeadline(undefined);
    b.context().setDeadline(undefined);
    const [ofA, ofB] = [{ at: 9000, lease: 'a' }, { lease: 'b' }];
    expect(deadlines).toEqual([ofA, { ...ofB, at: 8000 }, ofA, { ...ofB, at: 12_000 }, undefined]);
  });

  it('H3: the kill switch is armed when a lease starts, before it can have a deadline', () => {
    const { leases, killSwitch } = setUp();
    const { lease } = participant('a');
    leases.add({ ...lease, start: () => expect(killSwitch.arms).toBe(1) });
    expect(killSwitch.arms).toBe(0);
    leases.start();
    expect(killSwitch.arms).toBe(1);
  });

  it('H3: where nothing could end the process, no lease joins', () => {
    const { leases, killSwitch, gates } = setUp();
    killSwitch.refuse = true;
    const { lease, calls } = participant('a');
    expect(() => leases.add(lease)).toThrow('an init');
    leases.start();
    expect([calls, gates.current.leaseLost, killSwitch.arms]).toEqual([[], false, 0]);
  });

  it('H2: a lease that expires drains for as long as there is time, and exits with 1', async () => {
    const { leases, clock, board, exits, shutdown } = setUp();
    const { lease, context } = participant('orders');
    leases.add(lease);
    leases.start();
    shutdown.inFlight.begin('GET /slow');
    const exitBy = clock.now() + 2000;
    context().exit({ reason: 'lease "orders" lost', exitBy, drain: true, fenced });
    expect(board.phase()).toBe('draining');
    expect(clock.pendingHolds).toBeGreaterThan(0);
    await clock.advance(10_000);
    expect(exits).toEqual([[exitBy, 1]]);
  });

  it('H2: the exit code is 1 though all ended cleanly', async () => {
    const { leases, clock, exits } = setUp();
    const { lease, context, calls } = participant('orders');
    leases.add(lease);
    leases.start();
    const at = clock.now();
    context().exit({ reason: 'lost', exitBy: at + 2000, drain: true, fenced });
    await clock.advance(5000);
    expect(exits).toEqual([[expect.any(Number), 1]]);
    expect(exits[0]?.[0]).toBeLessThan(at + 100);
    expect(calls).toEqual(['start', 'release']);
  });

  it('H2: after a refusal it exits as soon as the fence hook is done, or its time is up, without a drain', async () => {
    for (const [hook, afterMs] of [
      [fenced, 0],
      [new Promise<void>(() => {}), 1000],
    ] as const) {
      const { leases, clock, board, exits } = setUp();
      const { lease, context } = participant('orders');
      leases.add(lease);
      leases.start();
      const at = clock.now();
      context().exit({ reason: 'lost', exitBy: at + 1000, drain: false, fenced: hook });
      await clock.advance(5000);
      expect(exits).toEqual([[at + afterMs, 1]]);
      expect(board.phase()).not.toBe('draining');
    }
  });

  it('H2: a second lease that is lost with less time left shortens the time of the first', async () => {
    const { leases, clock, exits } = setUp();
    const [a, b] = [participant('a'), participant('b')];
    for (const { lease } of [a, b]) leases.add(lease);
    leases.start();
    const at = clock.now();
    const never = new Promise<void>(() => {});
    a.context().exit({ reason: 'a lost', exitBy: at + 4000, drain: true, fenced: never });
    b.context().exit({ reason: 'b lost', exitBy: at + 800, drain: false, fenced: never });
    b.context().exit({ reason: 'b lost', exitBy: at + 900, drain: false, fenced });
    await clock.advance(10_000);
    expect(exits).toEqual([[at + 800, 1]]);
  });

  it('D1: the drain releases the lease last, once work has stopped', async () => {
    const { leases, clock, shutdown } = setUp();
    const order: string[] = [];
    const { lease, calls } = participant('orders');
    leases.add({ ...lease, release: async () => void order.push('release') });
    leases.start();
    shutdown.hooks.add('database', () => void order.push('database'));
    shutdown.hooks.add('queue', () => void order.push('queue'), { stage: 'consumers' });
    const done = shutdown.drain.begin('SIGTERM');
    await clock.advance(1000);
    expect((await done).exitCode).toBe(0);
    expect(order).toEqual(['queue', 'database', 'release']);
    expect(calls).toEqual(['start']);
  });

  it('a lease whose work was cut, or could not be stopped, is left to expire', async () => {
    for (const spoil of ['in flight', 'hook'] as const) {
      const { leases, clock, shutdown, log, deadlines } = setUp();
      const { lease, calls, context } = participant('orders');
      leases.add({ ...lease, stop: () => (lease.stop(), context().setDeadline(undefined)) });
      leases.start();
      context().setDeadline(90_000);
      if (spoil === 'in flight') shutdown.inFlight.begin('POST /pay');
      else
        shutdown.hooks.add('consumer', () => Promise.reject(new Error('stuck')), {
          stage: 'consumers',
        });
      const done = shutdown.drain.begin('SIGTERM');
      await clock.advance(60_000);
      expect((await done).exitCode).toBe(1);
      expect(calls).toEqual(['start', 'stop']);
      expect(log.lines.map(({ fields }) => fields['event'])).toContain('lease_kept');
      // H3: the registry still has it for the holder, so it still has to end in time.
      expect(deadlines.at(-1)).toEqual({ at: 90_000, lease: 'orders' });
    }
  });

  it('taking a lease out, and dispose, stop it without release', () => {
    const { leases, gates, shutdown } = setUp();
    const [a, b] = [participant('a'), participant('b')];
    const remove = leases.add(a.lease);
    leases.add(b.lease);
    leases.start();
    b.context().setMissing(false);
    remove();
    remove();
    expect(gates.current.leaseLost).toBe(false);
    expect(a.calls).toEqual(['start', 'stop']);
    leases.dispose();
    expect(b.calls).toEqual(['start', 'stop']);
    expect(shutdown.hooks.size).toBe(0);
    expect(() => leases.add(a.lease)).toThrow(/dispose/);
  });

  it('refuses what is no lease, and one that has joined', () => {
    const { leases } = setUp();
    const { lease } = participant('a');
    leases.add(lease);
    expect(() => leases.add(lease)).toThrow(/has not joined/);
    expect(() => leases.add({} as never)).toThrow(/made by createLease\(\)/);
  });
});
