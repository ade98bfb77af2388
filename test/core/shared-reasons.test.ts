import { describe, expect, it } from 'vitest';
import { consumptionBlockedBy } from '../../src/core/consumption.js';
import { permitsBy } from '../../src/core/exit-permit.js';
import { type ProbeState, initialProbeState } from '../../src/core/probe-state.js';
import { type ReadinessInput, decideReadiness } from '../../src/core/readiness.js';
import { resolveOptions } from '../../src/core/resolve-options.js';
import { LOCAL_STALE_MS, isShared, sharedReasons } from '../../src/core/shared-reasons.js';
import { checkView, groupOf, pendingCheckView, startedState } from './probe-state-builders.js';

const failed = checkView('database', { verdict: 'fail', freshUntil: Infinity });
const expired = checkView('database', { freshUntil: 1 });

function decide(
  exitPermit: ProbeState['gates']['exitPermit'],
  change: Partial<ProbeState> = {},
  input: Partial<ReadinessInput> = {},
) {
  const { gates = initialProbeState.gates, ...rest } = change;
  const state = startedState([failed], {
    ...rest,
    gates: { ...gates, ...(exitPermit === undefined ? {} : { exitPermit }) },
  });
  const times = { now: 500, evaluatedAt: 400, staleAfterMs: 10_000 };
  return decideReadiness({ state, phase: 'running', ...times, ...input });
}

describe('readiness and the permit to leave', () => {
  it('R10: with a permit, or without the need for one, an instance fails as ever', () => {
    for (const state of [undefined, 'not_needed', 'granted'] as const) {
      const { heldFor, ...rest } = decide(state);
      expect([rest.status, rest.reason, heldFor]).toEqual([
        'fail',
        'check_failed:database',
        undefined,
      ]);
    }
  });

  it('R10: without a permit it stays at warn, from the first moment on, and says what for', () => {
    for (const state of ['needed', 'asked', 'refused'] as const)
      expect(decide(state)).toMatchObject({
        status: 'warn',
        reason: 'held_by_floor:database',
        reasons: ['held_by_floor:database'],
        heldFor: ['check_failed:database'],
      });
  });

  it('R10: whatever is shared is held: load, groups, what has expired or is pending', () => {
    const groups = [groupOf('replicas', ['r1'])];
    const views = [expired, pendingCheckView('queue'), checkView('r1', { verdict: 'fail' })];
    const checks = new Map(views.map((view) => [view.name, view]));
    const gates = { ...initialProbeState.gates, atCapacity: true };
    expect(decide('refused', { groups, checks, gates })).toMatchObject({
      status: 'warn',
      heldFor: ['stale:database', 'group_failed:replicas', 'check_pending:queue', 'at_capacity'],
      reasons: [
        'held_by_floor:at_capacity',
        'held_by_floor:database',
        'held_by_floor:queue',
        'held_by_floor:replicas',
      ],
    });
  });

  it.each([
    ['draining', { phase: 'draining' } as const, {}],
    ['fatal', {}, { fatal: 'x' }],
    ['lease_lost', {}, { leaseLost: true }],
    ['maintenance', {}, { maintenance: true }],
    ['stale', { evaluatedAt: 0, now: 20_000 }, {}],
  ])('R10: a reason of its own needs no permit: %s', (reason, input, gates) => {
    const change = { gates: { ...initialProbeState.gates, ...gates } };
    expect(decide('refused', change, input)).toMatchObject({
      status: 'fail',
      reason,
      reasons: [reason, 'check_failed:database'],
    });
  });

  it('R10: results that expire because this process does not evaluate are its own fault', () => {
    const checks = new Map([[expired.name, expired]]);
    const held = decide('refused', { checks });
    expect(held).toMatchObject({ status: 'warn', validUntil: 400 + LOCAL_STALE_MS });
    expect(decide('refused', { checks }, { now: held.validUntil - 1 }).status).toBe('warn');
    expect(decide('refused', { checks }, { now: held.validUntil })).toMatchObject({
      status: 'fail',
      reason: 'stale:database',
    });
  });

  it('R10: an on-demand result that nobody asked for has every right to be old', () => {
    const context = { onDemand: true, snapshotAgeMs: 0 };
    expect(isShared('stale:database', context)).toBe(false);
    expect(isShared('check_failed:database', context)).toBe(true);
    const reasons = ['maintenance', 'stale:database', 'check_failed:mail'] as const;
    expect(sharedReasons({ reasons }, context, 0)).toEqual(['check_failed:mail']);
  });

  it('D4, R10: a worker takes no jobs that need what is down, held in rotation or not', () => {
    expect(consumptionBlockedBy(decide('refused'))).toBe('check_failed:database');
    const atCapacity = { ...initialProbeState.gates, atCapacity: true };
    expect(consumptionBlockedBy(decide('refused', { checks: new Map(), gates: atCapacity }))).toBe(
      undefined,
    );
  });

  it('R10: an instance that is held must be in rotation at warn', () => {
    const mayLeave = () => false;
    expect(() => resolveOptions({ mayLeave, probes: { warnStatus: 503 } }, {})).toThrow(
      'probes.warnStatus must be 200 with mayLeave, got 503',
    );
    const serverless = { background: false, isolation: 'inline' as const };
    expect(() => resolveOptions({ ...serverless, mayLeave: permitsBy(mayLeave) }, {})).toThrow(
      'mayLeave must be a function with background: false',
    );
    expect(resolveOptions({ ...serverless, mayLeave }, {}).exitPermits?.fallback).toBe('leave');
  });
});
