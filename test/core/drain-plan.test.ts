import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  closingBatches,
  drainExitCode,
  hurryPlan,
  planDrain,
  stepEndsAt,
} from '../../src/core/drain-plan.js';

const input = { startedAt: 100, propagationDelayMs: 10_000, deadlineMs: 25_000, hasHooks: true };

describe('drain plan', () => {
  it('D2: one deadline, with a share kept for the hooks after the work in flight', () => {
    const plan = planDrain(input);
    expect(plan).toEqual({
      startedAt: 100,
      propagationEndsAt: 10_100,
      inFlightEndsAt: 22_100,
      deadlineAt: 25_100,
    });
    expect(stepEndsAt(plan, 'propagation')).toBe(10_100);
    expect(stepEndsAt(plan, 'in_flight')).toBe(22_100);
    expect(stepEndsAt(plan, 'closers')).toBe(25_100);
    expect(planDrain({ ...input, hasHooks: false }).inFlightEndsAt).toBe(25_100);
  });

  it('D2: a delay never takes more than half of the deadline', () => {
    expect(planDrain({ ...input, deadlineMs: 4000 }).propagationEndsAt).toBe(2100);
  });

  it('D2, D5: parts are in order and within the deadline, also after a crash at any time', () => {
    const ms = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(
        ms,
        ms,
        fc.integer({ min: 1, max: 100_000 }),
        fc.boolean(),
        ms,
        (startedAt, propagationDelayMs, deadlineMs, hasHooks, after) => {
          const plan = planDrain({ startedAt, propagationDelayMs, deadlineMs, hasHooks });
          const now = startedAt + Math.min(after, deadlineMs);
          const hurried = hurryPlan(plan, now, 5000);
          for (const each of [plan, hurried]) {
            expect(each.propagationEndsAt).toBeGreaterThanOrEqual(startedAt);
            expect(each.inFlightEndsAt).toBeLessThanOrEqual(each.deadlineAt);
            expect(each.deadlineAt).toBeLessThanOrEqual(startedAt + deadlineMs);
          }
          expect(plan.propagationEndsAt).toBeLessThanOrEqual(plan.inFlightEndsAt);
          expect(hurried.propagationEndsAt).toBeLessThanOrEqual(now);
          expect(hurried.deadlineAt).toBeLessThanOrEqual(now + 5000);
        },
      ),
    );
  });

  it('D1: closers end in the reverse order of registration, independent neighbours together', () => {
    const closers = [
      ['db', false],
      ['a', true],
      ['b', true],
      ['queue', false],
      ['c', true],
    ] as const;
    const batches = closingBatches(closers.map(([name, independent]) => ({ name, independent })));
    expect(batches.map((batch) => batch.map(({ name }) => name))).toEqual([
      ['c'],
      ['queue'],
      ['b', 'a'],
      ['db'],
    ]);
    expect(closingBatches([])).toEqual([]);
  });

  it('D6: exit code 0 only when everything ended by itself', () => {
    expect(drainExitCode([{ ended: 'done' }, { ended: 'done' }], false)).toBe(0);
    expect(drainExitCode([{ ended: 'done' }, { ended: 'cut' }], false)).toBe(1);
    expect(drainExitCode([{ ended: 'failed' }], false)).toBe(1);
    expect(drainExitCode([], true)).toBe(1);
  });
});
