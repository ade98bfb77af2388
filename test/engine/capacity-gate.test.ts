import { describe, expect, it } from 'vitest';
import { createCapacity } from '../../src/core/capacity.js';
import type { MayLeave } from '../../src/core/exit-permit.js';
import { initialProbeState } from '../../src/core/probe-state.js';
import { createCapacityGate } from '../../src/engine/capacity-gate.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from './support.js';

function setUp(mayLeave: MayLeave = () => true) {
  const clock = createManualClock();
  const log = createLog();
  const changes: [at: number, atCapacity: boolean][] = [];
  let current = initialProbeState.gates;
  const gate = createCapacityGate({
    capacity: createCapacity({ leaveAt: 10 }),
    clock,
    logger: log.logger,
    mayLeave,
    gates: {
      get current() {
        return current;
      },
      set(change) {
        current = { ...current, ...change };
        changes.push([clock.now() - 1000, current.atCapacity]);
      },
    },
  });
  return { clock, log, gate, changes };
}

describe('capacity gate', () => {
  it('R8: readiness fails after a second of pressure and passes 5 s after it, by timers alone', async () => {
    const { clock, gate, changes } = setUp();
    gate.observe(10);
    await clock.advance(3000);
    gate.observe(8);
    await clock.advance(10_000);
    expect(changes).toEqual([
      [1000, true],
      [8000, false],
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('R8: a load that comes and goes changes readiness at most twice a minute', async () => {
    const { clock, gate, changes } = setUp();
    for (let wave = 0; wave < 30; wave += 1) {
      gate.observe(12);
      await clock.advance(4000);
      gate.observe(0);
      await clock.advance(6000);
    }
    const crowded = changes.filter(
      ([at], index) => at - (changes[index - 2]?.[0] ?? -60_000) < 60_000,
    );
    expect(crowded).toEqual([]);
    expect(changes.length).toBeGreaterThanOrEqual(6);
  });

  it('R10: an instance that may not leave stays, asks again each second, and leaves when it may', async () => {
    let asked = 0;
    const { clock, gate, changes, log } = setUp((reason) => {
      asked += 1;
      return reason === 'at_capacity' && asked > 3;
    });
    gate.observe(10);
    await clock.advance(3500);
    expect([asked, changes]).toEqual([3, []]);
    expect(log.lines[0]).toMatchObject({ fields: { event: 'stays_in_rotation' } });
    await clock.advance(500);
    expect(changes).toEqual([[4000, true]]);
  });

  it('R10: an answer that comes after the pressure has gone changes nothing', async () => {
    let answer: (may: boolean) => void = () => {};
    const { clock, gate, changes } = setUp(() => new Promise((resolve) => (answer = resolve)));
    gate.observe(10);
    await clock.advance(1000);
    gate.observe(0);
    answer(true);
    await clock.advance(10_000);
    expect(changes).toEqual([]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no view');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no view'))],
  ] as [string, MayLeave][])(
    'R10: a permit that %s is logged and does not hold anyone',
    async (_, mayLeave) => {
      const { clock, gate, changes, log } = setUp(mayLeave);
      gate.observe(10);
      await clock.advance(1001);
      expect(changes).toEqual([[1000, true]]);
      expect(log.lines).toMatchObject([
        { fields: { event: 'may_leave_failed', output: 'no view' } },
      ]);
    },
  );

  it('leaves no timer behind', async () => {
    const { clock, gate } = setUp();
    gate.observe(10);
    expect(clock.pendingTimers).toBe(1);
    gate.dispose();
    gate.observe(0);
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(5000);
  });

  it('R10: an answer that never comes counts as yes after 2 s, and is logged', async () => {
    const { clock, gate, changes, log } = setUp(() => new Promise(() => {}));
    gate.observe(10);
    await clock.advance(2999);
    expect(changes).toEqual([]);
    await clock.advance(1);
    expect(changes).toEqual([[3000, true]]);
    expect(log.lines[0]?.fields).toMatchObject({ event: 'may_leave_failed' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('R10: only false keeps an instance in, also from JavaScript that returns nothing', async () => {
    for (const answer of [undefined, Promise.resolve(undefined)] as unknown[]) {
      const { clock, gate, changes } = setUp(() => answer as boolean);
      gate.observe(10);
      await clock.advance(1500);
      expect(changes).toEqual([[1000, true]]);
    }
  });

  it('leaves no timer behind when it is disposed while it waits for an answer', async () => {
    const { clock, gate } = setUp(() => new Promise(() => {}));
    gate.observe(10);
    await clock.advance(1500);
    expect(clock.pendingTimers).toBe(1);
    gate.dispose();
    expect(clock.pendingTimers).toBe(0);
  });
});
