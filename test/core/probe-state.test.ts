import { describe, expect, it } from 'vitest';
import { applyUpdate, initialProbeState } from '../../src/core/probe-state.js';
import { checkView, startedState } from './probe-state-builders.js';

describe('probe state', () => {
  it('R1: begins starting, with nothing known', () => {
    expect(initialProbeState.startup.complete).toBe(false);
    expect(initialProbeState.checks.size).toBe(0);
    expect(initialProbeState.gates).toEqual({
      leaseLost: false,
      maintenance: false,
      atCapacity: false,
    });
  });

  it('R2: an update changes what it holds and keeps the rest', () => {
    const before = startedState([checkView('a'), checkView('b')]);
    const after = applyUpdate(before, { state: { findings: ['x'] } });
    expect(after).toEqual({ ...before, findings: ['x'] });
    expect(after.checks).toBe(before.checks);
    expect(applyUpdate(before, {})).toEqual(before);
  });

  it('R2: checks are added, replaced in place and removed, never in the state given', () => {
    const before = startedState([checkView('a'), checkView('b')]);
    const failed = checkView('a', { verdict: 'fail' });
    const after = applyUpdate(before, {
      state: { findings: ['x'] },
      checks: [failed, checkView('c')],
      removedChecks: ['b', 'ghost'],
    });
    expect([...after.checks]).toEqual([
      ['a', failed],
      ['c', checkView('c')],
    ]);
    expect(after.findings).toEqual(['x']);
    expect([...before.checks.keys()]).toEqual(['a', 'b']);
    expect([...applyUpdate(before, { removedChecks: ['a'] }).checks.keys()]).toEqual(['b']);
  });

  it('R2: a check removed and added in one update is there', () => {
    const update = { checks: [checkView('a', { runs: 0 })], removedChecks: ['a'] };
    expect(applyUpdate(startedState([checkView('a')]), update).checks.get('a')?.runs).toBe(0);
  });

  it('R2: names such as constructor are names like any other', () => {
    const state = applyUpdate(initialProbeState, { checks: [checkView('constructor')] });
    expect([...state.checks.keys()]).toEqual(['constructor']);
    expect(initialProbeState.checks.get('constructor')).toBeUndefined();
  });
});
