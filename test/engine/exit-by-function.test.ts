import { describe, expect, it } from 'vitest';
import { type MayLeave, exitPermitsOption, permitsBy } from '../../src/core/exit-permit.js';
import { DOWN, FINE, SHARED, goDown } from './exit-keeper-kit.js';

describe('permits by a function', () => {
  const down = (mayLeave: MayLeave) => goDown(permitsBy(mayLeave));

  it('R10: it is told why, asked again each second while it says no, and once for each time out', async () => {
    const asked: string[] = [];
    const { clock, look, state } = down((reason) => asked.push(reason) > 3);
    await clock.advance(2999);
    expect([asked.length, state()]).toEqual([3, 'refused']);
    await clock.advance(1);
    expect([asked, state()]).toEqual([Array(4).fill('check_failed:database'), 'granted']);
    await clock.advance(600_000);
    look(FINE);
    await clock.settle();
    expect([asked.length, state(), clock.pendingTimers]).toEqual([4, 'needed', 0]);
    look(DOWN, SHARED);
    expect(asked).toHaveLength(5);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no view');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no view'))],
    ['never answers', () => new Promise(() => {})],
  ] as [string, MayLeave][])(
    'R10: one that %s is logged and does not hold anyone',
    async (_, mayLeave) => {
      const { clock, state, log } = down(mayLeave);
      await clock.advance(2000);
      expect(state()).toBe('granted');
      expect(log.lines).toMatchObject([
        { level: 'error', fields: { event: 'may_leave_failed', applied: 'leave' } },
      ]);
      expect(clock.pendingTimers).toBe(0);
    },
  );

  it('R10: only false keeps an instance in, also from JavaScript that returns nothing', async () => {
    for (const answer of [undefined, Promise.resolve(undefined)] as unknown[]) {
      const { clock, state } = down(() => answer as boolean);
      await clock.settle();
      expect(state()).toBe('granted');
    }
  });

  it('names the option that is neither a function nor permits', () => {
    for (const given of [null, true, {}, { ask() {} }] as unknown as MayLeave[])
      expect(() => exitPermitsOption('mayLeave', given)).toThrow(
        'mayLeave must be a function, or permits such as exitPermits()',
      );
  });
});
