import { describe, expect, it } from 'vitest';
import { createCapacity } from '../../src/core/capacity.js';
import { initialProbeState } from '../../src/core/probe-state.js';
import { createCapacityGate } from '../../src/engine/capacity-gate.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

function setUp() {
  const clock = createManualClock();
  const changes: [at: number, atCapacity: boolean][] = [];
  let current = initialProbeState.gates;
  const gate = createCapacityGate({
    capacity: createCapacity({ leaveAt: 10 }),
    clock,
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
  return { clock, gate, changes };
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

  it('leaves no timer behind', async () => {
    const { clock, gate } = setUp();
    gate.observe(10);
    expect(clock.pendingTimers).toBe(1);
    gate.dispose();
    gate.observe(0);
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(5000);
  });
});
