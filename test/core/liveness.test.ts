import { describe, expect, it } from 'vitest';
import { type LivenessInput, decideLiveness } from '../../src/core/liveness.js';

const SOUND: LivenessInput = {
  gates: {},
  failingGuards: [],
  loopStalled: false,
  stalledProgress: [],
};

describe('liveness', () => {
  it('L6: passes with nothing against it, for as long as nothing changes', () => {
    expect(decideLiveness(SOUND)).toEqual({
      status: 'pass',
      reason: 'ok',
      reasons: [],
      validUntil: Infinity,
    });
  });

  const cases: readonly (readonly [reasons: readonly string[], change: Partial<LivenessInput>])[] =
    [
      [['event_loop_stalled'], { loopStalled: true }],
      [['fatal'], { gates: { fatal: 'negative stock' } }],
      [['fatal'], { gates: { fatal: '' } }],
      [['guard_failed:memory', 'guard_failed:handles'], { failingGuards: ['memory', 'handles'] }],
      [['progress_stalled:orders consumer'], { stalledProgress: ['orders consumer'] }],
    ];
  it.each(cases)('L3, L4, L5: fails with %j', (reasons, change) => {
    expect(decideLiveness({ ...SOUND, ...change })).toEqual({
      status: 'fail',
      reason: reasons[0],
      reasons,
      validUntil: Infinity,
    });
  });

  it('L5: reports every reason, the stalled loop first', () => {
    const { reasons } = decideLiveness({
      gates: { fatal: 'x' },
      failingGuards: ['memory'],
      loopStalled: true,
      stalledProgress: ['consumer'],
    });
    expect(reasons).toEqual([
      'event_loop_stalled',
      'fatal',
      'guard_failed:memory',
      'progress_stalled:consumer',
    ]);
  });

  it('L1, L6: looks at nothing but the process: no check, phase or other gate is ever read', () => {
    const untouchable = (allowed: readonly string[], target: object) =>
      new Proxy(target, {
        get(of, key) {
          if (!allowed.includes(String(key))) throw new Error(`read ${String(key)}`);
          return Reflect.get(of, key) as unknown;
        },
      });
    const gates = untouchable(['fatal'], {
      leaseLost: true,
      maintenance: true,
      atCapacity: true,
    });
    const input = untouchable(Object.keys(SOUND), {
      ...SOUND,
      gates,
      phase: 'draining',
      checks: new Map([['database', { verdict: 'fail' }]]),
    });
    expect(decideLiveness(input as LivenessInput).status).toBe('pass');
  });
});
