import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Impact, Status } from '../../src/core/check.js';
import { decideLiveness } from '../../src/core/liveness.js';
import { type Phase, advancePhase } from '../../src/core/phase.js';
import { decideReadiness } from '../../src/core/readiness.js';
import { expiresAfterMs } from '../../src/core/schedule.js';
import {
  type Verdict,
  type VerdictPolicy,
  nextVerdict,
  unknownVerdict,
  verdictStatus,
} from '../../src/core/verdict.js';
import { checkView, pendingCheckView, startedState } from './probe-state-builders.js';

interface Step {
  readonly status: Status;
  /** Time since the step before. */
  readonly after: number;
}

interface Moment {
  readonly outcome: Status;
  readonly at: number;
  readonly verdict: Verdict;
}

const statuses = fc.constantFrom<Status>('pass', 'warn', 'fail');
const steps = fc.array(fc.record({ status: statuses, after: fc.integer({ min: 1, max: 400 }) }), {
  maxLength: 80,
});
const policies = fc.record({
  failureThreshold: fc.integer({ min: 1, max: 5 }),
  successThreshold: fc.integer({ min: 1, max: 4 }),
  flapWindowMs: fc.integer({ min: 0, max: 2000 }),
});

function play(list: readonly Step[], policy: VerdictPolicy): readonly Moment[] {
  let at = 0;
  let verdict: Verdict = unknownVerdict;
  return list.map(({ status, after }) => {
    at += after;
    verdict = nextVerdict(verdict, { status, at }, policy);
    return { outcome: status, at, verdict };
  });
}

const isFailed = (moment: Moment | undefined) => moment?.verdict.kind === 'failed';

/** How many outcomes of the same kind, failed or not, end at this index. */
function runEndingAt(moments: readonly Moment[], index: number): number {
  const failed = moments[index]?.outcome === 'fail';
  let length = 0;
  while (index >= length && (moments[index - length]?.outcome === 'fail') === failed) length += 1;
  return length;
}

describe('verdict invariants', () => {
  it('R5: no verdict flips below its threshold, and a failure never later than at it', () => {
    fc.assert(
      fc.property(steps, policies, (list, policy) => {
        const moments = play(list, policy);
        const firstSound = moments.findIndex((moment) => !isFailed(moment));
        const changes = moments.map((moment, index) => ({
          failed: isFailed(moment),
          run: runEndingAt(moments, index),
          flipped: index > 0 && isFailed(moments[index - 1]) !== isFailed(moment),
          admits: index === firstSound,
          fails: moment.outcome === 'fail',
        }));
        const falls = changes.filter(({ flipped, failed }) => flipped && failed);
        expect(falls.every(({ run }) => run === policy.failureThreshold)).toBe(true);
        const recoveries = changes.filter(
          ({ flipped, failed, admits }) => flipped && !failed && !admits,
        );
        expect(recoveries.every(({ run }) => run >= policy.successThreshold)).toBe(true);
        // Damping or not, a real failure is never hidden for longer than its threshold.
        const real = changes.filter(({ fails, run }) => fails && run >= policy.failureThreshold);
        expect(real.every(({ failed }) => failed)).toBe(true);
      }),
    );
  });

  it('R5: the first success ever admits at once', () => {
    fc.assert(
      fc.property(steps, policies, (list, policy) => {
        const moments = play(list, policy);
        const first = moments.findIndex(({ outcome }) => outcome !== 'fail');
        expect(isFailed(moments[first])).toBe(false);
        expect(moments.slice(0, Math.max(0, first)).every(isFailed)).toBe(true);
      }),
    );
  });

  it('R5: damping is bounded: sixteen times the threshold always recovers', () => {
    fc.assert(
      fc.property(steps, policies, (list, policy) => {
        const enough = Array.from({ length: 16 * policy.successThreshold }, () => ({
          status: 'pass' as const,
          after: 1,
        }));
        expect(isFailed(play([...list, ...enough], policy).at(-1))).toBe(false);
      }),
    );
  });

  it('T9: the recoveries of a flapping dependency are bounded per window', () => {
    const policy = { failureThreshold: 3, successThreshold: 2, flapWindowMs: 300_000 };
    // The worst oscillation: it fails as soon as it is admitted, and recovers as soon as it can.
    let at = 0;
    let verdict: Verdict = nextVerdict(unknownVerdict, { status: 'pass', at }, policy);
    const recoveries: number[] = [];
    while (at < 3_600_000) {
      at += 1000;
      const status = verdict.kind === 'failed' ? 'pass' : 'fail';
      const next = nextVerdict(verdict, { status, at }, policy);
      if (verdict.kind === 'failed' && next.kind === 'sound') recoveries.push(at);
      verdict = next;
    }
    const perWindow = recoveries.map(
      (from) => recoveries.filter((time) => time >= from && time < from + 300_000).length,
    );
    expect(recoveries.length).toBeGreaterThan(10);
    expect(Math.max(...perWindow)).toBeLessThanOrEqual(12);
    // Without damping it would be one each five seconds: sixty.
    expect(recoveries.length).toBeLessThan(130);
  });

  it('T9: a dependency that changes every two seconds never comes back before it holds', () => {
    const policy = { failureThreshold: 3, successThreshold: 2, flapWindowMs: 300_000 };
    const oscillating = Array.from({ length: 600 }, (_, index): Step => ({
      // Two seconds each way, checked once a second.
      status: index % 4 < 2 ? 'fail' : 'pass',
      after: 1000,
    }));
    const moments = play([{ status: 'pass', after: 1 }, ...oscillating], policy);
    const flips = moments.filter(
      (moment, index) => index > 0 && isFailed(moments[index - 1]) !== isFailed(moment),
    );
    expect(flips).toEqual([]);
  });
});

const phases = fc.constantFrom<Phase>('starting', 'running', 'draining', 'stopped');
const impacts = fc.constantFrom<Impact>('critical', 'degraded', 'optional');
const probing = fc.record({
  steps,
  policy: policies,
  impact: impacts,
  later: fc.nat(5000),
  phases: fc.array(phases, { maxLength: 5 }),
});

/** What readiness says of one check after its history, `later` ms after its last outcome. */
function readinessAfter(
  {
    steps: list,
    policy,
    impact,
    later,
  }: { steps: readonly Step[]; policy: VerdictPolicy; impact: Impact; later: number },
  phase: Phase,
) {
  const last = play(list, policy).at(-1);
  const freshUntil = (last?.at ?? 0) + expiresAfterMs(500, 100);
  const view =
    last === undefined
      ? pendingCheckView('database', { impact })
      : checkView('database', { impact, verdict: verdictStatus(last.verdict), freshUntil });
  const now = (last?.at ?? 0) + later;
  const state = startedState([view]);
  const decision = decideReadiness({ state, phase, now, evaluatedAt: now, staleAfterMs: 10_000 });
  return { decision, view, expired: last !== undefined && now >= freshUntil };
}

describe('probe invariants', () => {
  it('R3: expiry always wins over the last answer', () => {
    fc.assert(
      fc.property(probing, (input) => {
        const { decision, view, expired } = readinessAfter(input, 'running');
        fc.pre(expired);
        const expected = { critical: 'fail', degraded: 'warn', optional: 'pass' } as const;
        const reasons = { critical: 'stale:database', degraded: 'check_degraded:database' };
        expect(decision).toMatchObject({
          status: expected[view.impact],
          reason: view.impact === 'optional' ? 'ok' : reasons[view.impact],
        });
      }),
    );
  });

  it('R3: nothing is stale before it expires', () => {
    fc.assert(
      fc.property(probing, (input) => {
        const { decision, expired } = readinessAfter(input, 'running');
        expect(decision.reasons.includes('stale:database')).toBe(
          expired && input.impact === 'critical',
        );
      }),
    );
  });

  it('D1: draining and stopped always win, and no later phase undoes them', () => {
    fc.assert(
      fc.property(probing, fc.constantFrom<Phase>('draining', 'stopped'), (input, from) => {
        const phase = input.phases.reduce(advancePhase, from);
        const { decision } = readinessAfter(input, phase);
        expect(['draining', 'stopped']).toContain(phase);
        expect(decision).toMatchObject({ status: 'fail', reason: phase });
      }),
    );
  });

  it('R4: readiness says of a fresh check what its verdict and impact mean', () => {
    fc.assert(
      fc.property(probing, (input) => {
        const { decision, view, expired } = readinessAfter({ ...input, later: 0 }, 'running');
        expect(expired).toBe(false);
        const sound = view.verdict === 'pass' || view.impact === 'optional';
        const warns = view.impact === 'degraded' || view.verdict === 'warn';
        expect(decision.status).toBe(sound ? 'pass' : warns ? 'warn' : 'fail');
      }),
    );
  });

  it('L6: liveness is the same whatever the checks and the phase', () => {
    const liveness = fc.record({
      loopStalled: fc.boolean(),
      failingGuards: fc.subarray(['memory', 'handles']),
      stalledProgress: fc.subarray(['consumer']),
      fatal: fc.option(fc.string(), { nil: undefined }),
    });
    fc.assert(
      fc.property(probing, phases, liveness, (input, phase, { fatal, ...process }) => {
        const { view } = readinessAfter(input, phase);
        const gates = fatal === undefined ? {} : { fatal };
        const everything = {
          ...startedState([view]),
          ...process,
          phase,
          gates: { ...gates, leaseLost: true, maintenance: true, atCapacity: true },
        };
        expect(decideLiveness(everything)).toEqual(decideLiveness({ ...process, gates }));
      }),
    );
  });
});
