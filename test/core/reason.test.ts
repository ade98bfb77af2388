import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/core/decision.js';
import { REASON_CODES, byPrecedence, reason, reasonCode } from '../../src/core/reason.js';

describe('reason', () => {
  it('R1: the codes and their order are stable', () => {
    expect(REASON_CODES).toEqual([
      'stopped',
      'draining',
      'event_loop_stalled',
      'fatal',
      'guard_failed',
      'progress_stalled',
      'startup_timeout',
      'starting',
      'lease_lost',
      'maintenance',
      'stale',
      'check_failed',
      'group_failed',
      'check_pending',
      'at_capacity',
      'held_by_floor',
      'check_degraded',
      'group_degraded',
      'ok',
    ]);
  });

  it('R1: is a code with or without a name, and gives the code back', () => {
    expect(reason('draining')).toBe('draining');
    expect(reason('check_failed', 'data base')).toBe('check_failed:data base');
    expect(reasonCode('draining')).toBe('draining');
    expect(reasonCode('check_failed:a:b')).toBe('check_failed');
    expect(reasonCode(reason('stale', ''))).toBe('stale');
  });

  it('R1: sorts by precedence, equal codes in the order given, and changes nothing', () => {
    const given = Object.freeze([
      reason('check_degraded', 'z'),
      reason('check_failed', 'b'),
      reason('draining'),
      reason('check_failed', 'a'),
    ]);
    expect(byPrecedence(given)).toEqual([
      'draining',
      'check_failed:b',
      'check_failed:a',
      'check_degraded:z',
    ]);
  });
});

describe('decision', () => {
  it('R6: fails with a failure, warns with a warning only, passes with neither', () => {
    expect(decide(['draining'], ['check_degraded:a'])).toEqual({
      status: 'fail',
      reason: 'draining',
      reasons: ['draining', 'check_degraded:a'],
      validUntil: Infinity,
    });
    expect(decide([], ['check_degraded:a'], 7)).toEqual({
      status: 'warn',
      reason: 'check_degraded:a',
      reasons: ['check_degraded:a'],
      validUntil: 7,
    });
    expect(decide([], [])).toMatchObject({ status: 'pass', reason: 'ok', reasons: [] });
  });

  it('R1: the reported reason is the first by precedence of any set', () => {
    const codes = fc.uniqueArray(fc.constantFrom(...REASON_CODES), { minLength: 1 });
    fc.assert(
      fc.property(codes, (reasons) => {
        const first = Math.min(...reasons.map((code) => REASON_CODES.indexOf(code)));
        expect(decide(reasons, []).reason).toBe(REASON_CODES[first]);
      }),
    );
  });
});
