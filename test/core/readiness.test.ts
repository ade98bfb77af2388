import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Phase } from '../../src/core/phase.js';
import { type CheckView, type ProbeState, initialProbeState } from '../../src/core/probe-state.js';
import { type ReadinessInput, decideReadiness, freshStatus } from '../../src/core/readiness.js';
import { REASON_CODES } from '../../src/core/reason.js';
import { checkView, groupOf, pendingCheckView, startedState } from './probe-state-builders.js';

function ready(state: ProbeState, change: Partial<ReadinessInput> = {}) {
  return decideReadiness({
    state,
    phase: 'running',
    now: 500,
    evaluatedAt: 400,
    staleAfterMs: 10_000,
    ...change,
  });
}

function withGates(gates: Partial<ProbeState['gates']>): ProbeState {
  return startedState([], { gates: { ...initialProbeState.gates, ...gates } });
}

describe('readiness', () => {
  it('R1: passes with nothing against it', () => {
    expect(ready(startedState([checkView('database')]))).toEqual({
      status: 'pass',
      reason: 'ok',
      reasons: [],
      validUntil: 1000,
    });
  });

  const cases: readonly (readonly [
    reason: string,
    state: ProbeState,
    change?: Partial<ReadinessInput>,
  ])[] = [
    ['starting', initialProbeState],
    ['starting', initialProbeState, { phase: 'starting' }],
    ['draining', startedState(), { phase: 'draining' }],
    ['stopped', startedState(), { phase: 'stopped' }],
    ['fatal', withGates({ fatal: 'negative stock' })],
    ['fatal', withGates({ fatal: '' })],
    ['lease_lost', withGates({ leaseLost: true })],
    ['maintenance', withGates({ maintenance: true })],
    ['at_capacity', withGates({ atCapacity: true })],
    ['stale', startedState(), { evaluatedAt: 400, now: 10_400 }],
    ['stale', startedState(), { evaluatedAt: 0, now: 10_000 }],
    [
      'startup_timeout',
      startedState([], {
        startup: { complete: false, timedOut: true, total: 1, remaining: ['a'] },
      }),
    ],
    ['check_failed:database', startedState([checkView('database', { verdict: 'fail' })])],
    ['check_pending:database', startedState([pendingCheckView('database')])],
    ['stale:database', startedState([checkView('database', { freshUntil: 500 })])],
  ];
  const named = cases.map(([reason, state, change]) => ({ reason, state, change }));
  it.each(named)('R1: fails with the reason $reason', ({ reason, state, change }) => {
    const decision = ready(state, change);
    expect(decision).toMatchObject({ status: 'fail', reason, reasons: [reason] });
  });

  it('R3: an expired verdict is stale, never the last good answer', () => {
    const view = checkView('database', { freshUntil: 500 });
    expect(freshStatus(view, 499.999)).toBe('pass');
    expect(freshStatus(view, 500)).toBe('unknown');
    expect(freshStatus(checkView('a', { verdict: 'fail' }), 999)).toBe('fail');
    expect(freshStatus(pendingCheckView('a', { verdict: 'pass' }), 0)).toBe('unknown');
    const expired = startedState([checkView('database', { verdict: 'fail', freshUntil: 500 })]);
    expect(ready(expired).reasons).toEqual(['stale:database']);
  });

  it('R3: the snapshot is good up to its age limit, the limit excluded', () => {
    expect(ready(startedState(), { now: 10_399 })).toMatchObject({
      status: 'pass',
      validUntil: 10_400,
    });
    expect(ready(startedState(), { now: 10_400 })).toMatchObject({
      status: 'fail',
      validUntil: Infinity,
    });
  });

  it('R4: only a critical check fails readiness, a degraded one warns, an optional one is silent', () => {
    const withImpact = (impact: CheckView['impact'], verdict: CheckView['verdict']) => {
      const { status, reasons } = ready(startedState([checkView('cache', { impact, verdict })]));
      return [status, ...reasons];
    };
    expect(withImpact('critical', 'fail')).toEqual(['fail', 'check_failed:cache']);
    expect(withImpact('degraded', 'fail')).toEqual(['warn', 'check_degraded:cache']);
    expect(withImpact('optional', 'fail')).toEqual(['pass']);
    expect(withImpact('critical', 'warn')).toEqual(['warn', 'check_degraded:cache']);
    expect(withImpact('degraded', 'warn')).toEqual(['warn', 'check_degraded:cache']);
    expect(withImpact('optional', 'warn')).toEqual(['pass']);
    expect(withImpact('degraded', 'pass')).toEqual(['pass']);
  });

  it('R4: a degraded check that never ran or expired only warns', () => {
    const pending = pendingCheckView('cache', { impact: 'degraded' });
    const expired = checkView('mail', { impact: 'degraded', freshUntil: 1 });
    expect(ready(startedState([pending, expired]))).toMatchObject({
      status: 'warn',
      reasons: ['check_degraded:cache', 'check_degraded:mail'],
    });
  });

  it('R7: the members of a group count only through it', () => {
    const replicas = [checkView('r1'), checkView('r2', { verdict: 'fail' })];
    const groups = [groupOf('replicas', ['r1', 'r2'])];
    expect(ready(startedState(replicas, { groups })).reasons).toEqual(['group_degraded:replicas']);
    const failed = replicas.map((view) => ({ ...view, verdict: 'fail' as const }));
    expect(ready(startedState(failed, { groups }))).toMatchObject({
      status: 'fail',
      reasons: ['group_failed:replicas'],
    });
    const sound = [checkView('r1'), checkView('r2')];
    expect(ready(startedState(sound, { groups }))).toMatchObject({ status: 'pass', reasons: [] });
  });

  it('R7: the impact of a group stands above that of its members', () => {
    const failed = [checkView('r1', { verdict: 'fail' })];
    const withImpact = (impact: CheckView['impact']) =>
      ready(startedState(failed, { groups: [groupOf('replicas', ['r1'], { impact })] })).reasons;
    expect(withImpact('degraded')).toEqual(['group_degraded:replicas']);
    expect(withImpact('optional')).toEqual([]);
  });

  it('R7: a group that may yet pass names the members it waits for', () => {
    const views = [
      checkView('r1', { verdict: 'fail' }),
      pendingCheckView('r2'),
      checkView('r3', { freshUntil: 1 }),
    ];
    const groups = [groupOf('replicas', ['r1', 'r2', 'r3', 'removed'], { quorum: 2 })];
    expect(ready(startedState(views, { groups })).reasons).toEqual([
      'stale:r3',
      'check_pending:r2',
      'check_pending:removed',
    ]);
  });

  it('E3: what is excluded is left out, a member only with its group', () => {
    const views = [
      checkView('database', { verdict: 'fail' }),
      checkView('r1', { verdict: 'fail' }),
    ];
    const state = startedState(views, { groups: [groupOf('replicas', ['r1'])] });
    const excluding = (...names: string[]) => ready(state, { exclude: new Set(names) }).reasons;
    expect(excluding()).toEqual(['check_failed:database', 'group_failed:replicas']);
    expect(excluding('database', 'r1')).toEqual(['group_failed:replicas']);
    expect(excluding('database', 'replicas')).toEqual([]);
  });

  it('R1: of several reasons the first by precedence is reported, the rest in order', () => {
    const state: ProbeState = {
      ...startedState([
        checkView('cache', { impact: 'degraded', verdict: 'fail' }),
        pendingCheckView('queue'),
        checkView('database', { verdict: 'fail' }),
        checkView('search', { freshUntil: 1 }),
        checkView('r1', { verdict: 'fail' }),
      ]),
      groups: [groupOf('replicas', ['r1']), groupOf('mirrors', ['r1'], { impact: 'degraded' })],
      startup: { complete: false, timedOut: false, total: 1, remaining: ['x'] },
      gates: { fatal: 'x', leaseLost: true, maintenance: true, atCapacity: true },
    };
    const decision = ready(state, { phase: 'draining', now: 20_000, evaluatedAt: 1 });
    expect(decision.reasons).toEqual([
      'draining',
      'fatal',
      'starting',
      'lease_lost',
      'maintenance',
      'stale',
      'stale:database',
      'stale:search',
      'stale:r1',
      'check_pending:queue',
      'at_capacity',
      'check_degraded:cache',
      'group_degraded:mirrors',
    ]);
    expect(decision.reason).toBe('draining');
    const codes = decision.reasons.map((each) => REASON_CODES.indexOf(each.split(':')[0] as 'ok'));
    expect(codes).toEqual(codes.toSorted((a, b) => a - b));
  });
});

const PHASES: readonly Phase[] = ['starting', 'running', 'draining', 'stopped'];
const verdicts = fc.constantFrom('pass', 'warn', 'fail', 'unknown');
const impacts = fc.constantFrom('critical', 'degraded', 'optional');
const views = fc
  .array(fc.record({ verdict: verdicts, impact: impacts, freshUntil: fc.nat(100) }), {
    maxLength: 5,
  })
  .map((list) => list.map((change, index) => checkView(`c${index}`, change as Partial<CheckView>)));
const inputs = fc
  .record({
    views,
    grouped: fc.boolean(),
    phase: fc.constantFrom(...PHASES),
    now: fc.nat(100),
    evaluatedAt: fc.nat(100),
    staleAfterMs: fc.integer({ min: 1, max: 50 }),
  })
  .map(({ views: list, grouped, ...rest }): ReadinessInput => {
    const groups = grouped ? [groupOf('g', ['c0', 'c1', 'c2'], { quorum: 2 })] : [];
    return { ...rest, state: startedState(list, { groups }) };
  });

describe('readiness over time', () => {
  it('R3: the same inputs give the same answer at any time before validUntil', () => {
    fc.assert(
      fc.property(
        inputs,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (input, share) => {
          const decision = decideReadiness(input);
          expect(decision.validUntil).toBeGreaterThan(input.now);
          const end = Math.min(decision.validUntil, input.now + 200);
          const later = input.now + share * (end - input.now);
          // A share next to one is rounded up to the end, which is no longer before it.
          fc.pre(later < end);
          expect(decideReadiness({ ...input, now: later })).toEqual(decision);
        },
      ),
    );
  });

  it('R3: validUntil is not earlier than the next expiry', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { validUntil } = decideReadiness(input);
        const bounds = [
          input.evaluatedAt + input.staleAfterMs,
          ...[...input.state.checks.values()].map(({ freshUntil }) => freshUntil ?? Infinity),
        ].filter((at) => at > input.now);
        expect(validUntil).toBe(Math.min(Infinity, ...bounds));
      }),
    );
  });
});
