import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FenceAdmission,
  type HttpFence,
  type HttpFenceOptions,
  createHttpFence,
  fenceHeaders,
} from '../../../src/lease/guards/http.js';
import { isAccepted } from '../../../src/lease/guards/claim.js';

const admit = (fence: HttpFence, token: bigint, holder = 'a'): FenceAdmission => {
  const headers = fenceHeaders({ token, holder });
  return fence.admit('orders', (name) => headers[name]);
};
const done = (admission: FenceAdmission): void => {
  if (admission.kind === 'admitted') admission.done();
};
const briefly = (admission: FenceAdmission) =>
  admission.kind === 'admitted' ? 'admitted' : `${admission.status} ${admission.reason}`;

describe('the rule of fencing', () => {
  it('H4: a higher token, or the same one of the same holder', () => {
    const seen = { token: 5n, holder: 'a' };
    expect(isAccepted({ token: 1n, holder: 'a' }, undefined)).toBe(true);
    expect(isAccepted({ token: 6n, holder: 'b' }, seen)).toBe(true);
    expect(isAccepted({ token: 5n, holder: 'a' }, seen)).toBe(true);
    expect(isAccepted({ token: 5n, holder: 'b' }, seen)).toBe(false);
    expect(isAccepted({ token: 4n, holder: 'a' }, seen)).toBe(false);
    expect(isAccepted({ token: 10n, holder: 'a' }, { token: 9n, holder: 'a' })).toBe(true);
  });
});

describe('HTTP fence', () => {
  it('H4: rejects an older token, and the same of another holder', () => {
    const fence = createHttpFence();
    for (const [token, holder, expected] of [
      [9n, 'a', 'admitted'],
      [9n, 'a', 'admitted'],
      [8n, 'a', '412 fenced'],
      [9n, 'b', '412 fenced'],
    ] as const)
      expect(briefly(admit(fence, token, holder))).toBe(expected);
    expect(briefly(createHttpFence().admit('orders', () => undefined))).toBe('428 token_missing');
  });

  it('H4: a newer write does not begin while an older one is under way, and nothing older follows', () => {
    const fence = createHttpFence();
    const first = admit(fence, 1n);
    const second = admit(fence, 1n);
    expect(briefly(admit(fence, 2n, 'b'))).toBe('503 older_write_under_way');
    expect(briefly(admit(fence, 1n))).toBe('412 fenced');
    expect(briefly(admit(fence, 3n, 'c'))).toBe('503 older_write_under_way');
    done(first);
    done(first);
    expect(briefly(admit(fence, 3n, 'c'))).toBe('503 older_write_under_way');
    done(second);
    expect(briefly(admit(fence, 2n, 'b'))).toBe('412 fenced');
    expect(briefly(admit(fence, 3n, 'c'))).toBe('admitted');
  });

  it('one resource does not fence another', () => {
    const fence = createHttpFence();
    const header = (token: bigint) => (name: string) => fenceHeaders({ token, holder: 'a' })[name];
    expect(fence.admit('one', header(9n)).kind).toBe('admitted');
    expect(fence.admit('two', header(1n)).kind).toBe('admitted');
  });

  it('keeps the highest token over a restart, if it is told to', () => {
    const kept = new Map<string, { token: bigint; holder: string }>();
    const options: HttpFenceOptions = { onRaise: (name, claim) => void kept.set(name, claim) };
    done(admit(createHttpFence(options), 7n));
    expect(briefly(admit(createHttpFence({ seen: kept }), 6n))).toBe('412 fenced');
    expect(briefly(admit(createHttpFence({ seen: kept }), 7n))).toBe('admitted');
  });

  it.each([
    ['-1', 'a'],
    ['1.5', 'a'],
    ['0x10', 'a'],
    ['99999999999999999999', 'a'],
    ['1, 2', 'a'],
    ['1', '%E0%A4%A'],
    ['1', 'x'.repeat(1025)],
  ])('answers 400 to token %j of holder %j', (token, holder) => {
    const given: Record<string, string> = { 'fencing-token': token, 'fencing-holder': holder };
    expect(briefly(createHttpFence().admit('orders', (name) => given[name]))).toBe(
      '400 token_malformed',
    );
  });

  it('whatever a holder is called comes through', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }), (holder) => {
        const fence = createHttpFence();
        const admission = admit(fence, 1n, holder);
        return admission.kind === 'admitted' && admission.claim.holder === holder;
      }),
    );
    expect(() => fenceHeaders({ token: 1 as never, holder: 'a' })).toThrow(/claim.token/);
    expect(() => fenceHeaders({ token: 1n, holder: '' })).toThrow(/claim.holder/);
  });

  it('H4: in whatever order writes come and end, none that is older runs beside or after a newer one', () => {
    const step = fc.record({
      token: fc.bigInt(1n, 4n),
      holder: fc.constantFrom('a', 'b'),
      ends: fc.nat(5),
    });
    const broken = fc.check(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const fence = createHttpFence();
        const running: Extract<FenceAdmission, { kind: 'admitted' }>[] = [];
        let highest = 0n;
        return steps.every(({ token, holder, ends }) => {
          const admission = admit(fence, token, holder);
          if (admission.kind === 'admitted') running.push(admission);
          const sound = running.every(({ claim }) => claim.token === running[0]?.claim.token);
          const fresh = admission.kind === 'rejected' || token >= highest;
          if (admission.kind === 'admitted') highest = token;
          running.splice(ends, 1)[0]?.done();
          return sound && fresh;
        });
      }),
    );
    expect(broken.counterexample).toBe(null);
  });
});
