import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type LeaseRules,
  type LeaseState,
  type LeaseStep,
  nextLeaseState,
} from '../../src/core/lease-state.js';
import { hardAfterMs, resolveLeaseTiming } from '../../src/core/lease-timing.js';

const timing = resolveLeaseTiming({});
const rules: LeaseRules = { timing, highestToken: 0n };

function play(steps: readonly [at: number, step: LeaseStep][], given = rules): LeaseState {
  return steps.reduce<LeaseState>((state, [at, step]) => nextLeaseState(state, step, at, given), {
    kind: 'idle',
  });
}

const start: [number, LeaseStep] = [0, { kind: 'start' }];
const granted = (at: number, sentAt: number, ttlMs = 30_000): [number, LeaseStep] => [
  at,
  { kind: 'granted', token: 1n, sentAt, ttlMs },
];

describe('lease state', () => {
  it('H3: the deadline counts from before the request was sent, less one per cent and half a second', () => {
    expect(play([start, granted(3000, 1000)])).toEqual({
      kind: 'held',
      token: 1n,
      sentAt: 1000,
      hardAt: 1000 + 30_000 * 0.99 - 500,
      softAt: 1000 + 30_000 * 0.99 - 500 - 5000,
    });
  });

  it('H3: a registry that grants less shortens the lease, one that grants more does not lengthen it', () => {
    expect(play([start, granted(0, 0, 15_000)])).toMatchObject({ hardAt: 14_350 });
    expect(play([start, granted(0, 0, 60_000)])).toMatchObject({ hardAt: 29_200 });
  });

  it('H2: time alone loses it at the soft deadline, and a late answer does not bring it back', () => {
    const late: [number, LeaseStep] = [24_200, { kind: 'renewed', sentAt: 24_000, ttlMs: 30_000 }];
    const lost = { kind: 'lost', why: 'expired', token: 1n, hardAt: 29_200 };
    expect(play([start, granted(0, 0), [24_199, { kind: 'tick' }]])).toMatchObject({
      kind: 'held',
    });
    expect(play([start, granted(0, 0), late])).toEqual(lost);
  });

  it('H3: a grant of a time that is no number grants nothing', () => {
    for (const ttlMs of [NaN, -Infinity, -1])
      expect(play([start, granted(0, 0, ttlMs)])).toEqual({ kind: 'acquiring' });
  });

  it('a refusal loses it at once', () => {
    expect(play([start, granted(0, 0), [10_000, { kind: 'refused' }]])).toEqual({
      kind: 'lost',
      why: 'refused',
      token: 1n,
      hardAt: 10_000,
    });
  });

  it('a renewal moves the deadline forward only', () => {
    const later: [number, LeaseStep] = [10_000, { kind: 'renewed', sentAt: 9000, ttlMs: 30_000 }];
    const earlier: [number, LeaseStep] = [10_500, { kind: 'renewed', sentAt: 500, ttlMs: 30_000 }];
    expect(play([start, granted(0, 0), later, earlier])).toMatchObject({ hardAt: 38_200 });
  });

  it('a grant that comes too late to be used is none', () => {
    expect(play([start, granted(24_200, 0)])).toEqual({ kind: 'acquiring' });
  });

  it('H4: a token that is not above every earlier one grants nothing', () => {
    expect(play([start, granted(0, 0)], { ...rules, highestToken: 1n })).toEqual({
      kind: 'acquiring',
    });
  });

  it('a lost lease is asked for again only once work has stopped, a released one never', () => {
    const refused: [number, LeaseStep] = [1, { kind: 'refused' }];
    expect(play([start, granted(0, 0), refused, [2, { kind: 'start' }]]).kind).toBe('lost');
    expect(play([start, granted(0, 0), refused, granted(2, 2)]).kind).toBe('lost');
    expect(play([start, granted(0, 0), refused, [2, { kind: 'stopped' }]]).kind).toBe('acquiring');
    const released: [number, LeaseStep] = [1, { kind: 'released' }];
    expect(play([start, granted(0, 0), released, granted(2, 2)]).kind).toBe('released');
    expect(play([start, released, [2, { kind: 'start' }]]).kind).toBe('released');
  });

  it('H3: whatever happens in whatever order, it is never held at the registry’s own deadline', () => {
    const times = fc.record({ at: fc.nat(120_000), behind: fc.nat(40_000), ttlMs: fc.nat(60_000) });
    const kinds = fc.constantFrom('start', 'granted', 'renewed', 'refused', 'tick', 'stopped');
    const steps = fc.array(fc.tuple(kinds, times), { maxLength: 30 });
    const broken = fc.check(
      fc.property(steps, (list) => {
        let state: LeaseState = nextLeaseState({ kind: 'idle' }, { kind: 'start' }, 0, rules);
        let token = 0n;
        let expiresAt = 0;
        let sound = true;
        for (const [kind, { at, behind, ttlMs }] of list.toSorted((a, b) => a[1].at - b[1].at)) {
          const sentAt = at - behind;
          if (kind === 'granted') token += 1n;
          const step = { kind, sentAt, ttlMs, token } as LeaseStep;
          const before = state;
          state = nextLeaseState(before, step, at, { timing, highestToken: token - 1n });
          // The registry may have counted from the moment the request was sent.
          if (state.kind === 'held' && state.sentAt === sentAt && state !== before)
            expiresAt = sentAt + Math.min(ttlMs, timing.ttlMs);
          sound &&= state.kind !== 'held' || at < expiresAt;
          sound &&= before.kind !== 'lost' || kind === 'stopped' || state === before;
        }
        return sound;
      }),
    );
    expect(broken.counterexample).toBe(null);
  });
});

describe('lease timing', () => {
  it('H1: 30 s, renewed every 10 s, by default', () => {
    expect(timing).toEqual({
      ttlMs: 30_000,
      renewMs: 10_000,
      retryMs: 2000,
      attemptTimeoutMs: 4000,
      stopMs: 5000,
      marginMs: 500,
    });
  });

  it('scales down with the ttl, and always leaves time for a second attempt', () => {
    for (const ttlMs of [100, 1000, 3000, 10_000, 60_000, 3_600_000]) {
      const scaled = resolveLeaseTiming({ ttlMs });
      const renewWithinMs = hardAfterMs(ttlMs, scaled) - scaled.stopMs;
      expect(ttlMs).toBeGreaterThan(renewWithinMs);
      expect(renewWithinMs).toBeGreaterThan(scaled.renewMs + 1.2 * scaled.retryMs);
    }
  });

  it.each([
    [{ renewMs: 25_000 }, /lease.renewMs must be less than 21800,/],
    [{ retryMs: 21_000 }, /lease.retryMs must be less than 20166,/],
    [{ stopMs: 29_000 }, /lease.retryMs must be less than 166,/],
    [{ stopMs: 60_000 }, /lease.retryMs must be less than 0,/],
    [{ ttlMs: 0 }, /lease.ttlMs must be a number from 1 to 2147483647, got 0/],
    [{ marginMs: -1 }, /lease.marginMs must be a number from 0/],
    [{ attemptTimeoutMs: Number.NaN }, /lease.attemptTimeoutMs/],
  ])('refuses %j', (options, text) => {
    expect(() => resolveLeaseTiming(options)).toThrow(text);
  });

  it('refuses a ttl shorter than the backend keeps', () => {
    expect(() => resolveLeaseTiming({ ttlMs: 5000 }, 10_000)).toThrow(/from 10000/);
  });
});
