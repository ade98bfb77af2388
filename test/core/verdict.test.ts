import { describe, expect, it } from 'vitest';
import type { Status } from '../../src/core/check.js';
import {
  type Verdict,
  type VerdictPolicy,
  isSettled,
  nextVerdict,
  streakOf,
  unknownVerdict,
  verdictStatus,
} from '../../src/core/verdict.js';

const POLICY: VerdictPolicy = { failureThreshold: 3, successThreshold: 2, flapWindowMs: 1000 };

/** The verdict after a word of outcomes, `p`ass, `w`arn or `f`ail, one per millisecond from `at` on. */
function after(word: string, from: Verdict = unknownVerdict, at = 0, policy = POLICY): Verdict {
  const statuses: Record<string, Status> = { p: 'pass', w: 'warn', f: 'fail' };
  return word
    .split('')
    .reduce<Verdict>(
      (verdict, letter, index) =>
        nextVerdict(verdict, { status: statuses[letter] ?? 'fail', at: at + index }, policy),
      from,
    );
}

/** How many successes in a row bring a failed verdict back at time `at`. */
function successesToRecover(failed: Verdict, at: number): number {
  for (let count = 1; count < 1000; count += 1) {
    if (verdictStatus(after('p'.repeat(count), failed, at)) === 'pass') return count;
  }
  throw new Error('never recovers');
}

/** A verdict that has fallen at each of the given times, by three failures ending at that time. */
function fallenAt(...times: number[]): Verdict {
  return times.reduce<Verdict>((verdict, at) => {
    const sound = after('p'.repeat(100), verdict, at - 2);
    return after('fff', sound, at - 2);
  }, after('p'));
}

describe('verdict', () => {
  it('R5: the first outcome settles an unknown verdict either way', () => {
    expect(verdictStatus(unknownVerdict)).toBe('unknown');
    expect(verdictStatus(after('p'))).toBe('pass');
    expect(verdictStatus(after('w'))).toBe('warn');
    expect(verdictStatus(after('f'))).toBe('fail');
  });

  it('R5: only a run of failures as long as the threshold fails a sound check', () => {
    expect(verdictStatus(after('pff'))).toBe('pass');
    expect(verdictStatus(after('pfff'))).toBe('fail');
    expect(verdictStatus(after('pffpff'))).toBe('pass');
    expect(verdictStatus(after('pffwfff'))).toBe('fail');
  });

  it('R5: only a run of successes as long as the threshold recovers a failed check', () => {
    expect(verdictStatus(after('pfffp'))).toBe('fail');
    expect(verdictStatus(after('pfffpp'))).toBe('pass');
    expect(verdictStatus(after('pfffpfp'))).toBe('fail');
    expect(verdictStatus(after('pfffpfpp'))).toBe('pass');
  });

  it('R5: the first success admits at once, also after a failing start', () => {
    expect(verdictStatus(after('fffffp'))).toBe('pass');
    expect(verdictStatus(after('fw'))).toBe('warn');
    // The threshold holds from then on, and the failing start is no fall.
    expect(verdictStatus(after('fpff'))).toBe('pass');
    expect(verdictStatus(after('fpfffp'))).toBe('fail');
    expect(verdictStatus(after('fpfffpp'))).toBe('pass');
  });

  it('R5: a warning counts as a success, and the last success says which', () => {
    expect(verdictStatus(after('pffw'))).toBe('warn');
    expect(verdictStatus(after('pffwff'))).toBe('warn');
    expect(verdictStatus(after('pfffpw'))).toBe('warn');
    expect(verdictStatus(after('pfffwp'))).toBe('pass');
    expect(verdictStatus(after('wff'))).toBe('warn');
  });

  it('R5: thresholds of one flip at once', () => {
    const policy = { failureThreshold: 1, successThreshold: 1, flapWindowMs: 0 };
    expect(verdictStatus(after('pf', unknownVerdict, 0, policy))).toBe('fail');
    expect(verdictStatus(after('pfp', unknownVerdict, 0, policy))).toBe('pass');
  });

  it('R5: each further fall within the window doubles the successes asked for, up to sixteen times', () => {
    const times = [100, 200, 300, 400, 500, 600, 700];
    const needed = times.map((_, index) =>
      successesToRecover(fallenAt(...times.slice(0, index + 1)), 701),
    );
    expect(needed).toEqual([2, 4, 8, 16, 32, 32, 32]);
  });

  it('R5: falls leave the window one by one, the bound itself excluded', () => {
    const failed = fallenAt(100, 200, 300);
    const needs = (at: number) => {
      const once = after('p', failed, at, { ...POLICY, successThreshold: 1 });
      return verdictStatus(once) === 'pass';
    };
    // One success is enough once a single fall is left in the window.
    expect(needs(1199)).toBe(false);
    expect(needs(1200)).toBe(true);
    expect(successesToRecover(failed, 1000)).toBe(8);
  });

  it('R5: damping is forgotten after a quiet window', () => {
    expect(successesToRecover(fallenAt(100, 200, 300, 5000), 5001)).toBe(2);
  });

  it('R5: damping never delays a failure', () => {
    const flapped = after('p'.repeat(100), fallenAt(100, 200, 300, 400), 500);
    expect(verdictStatus(flapped)).toBe('pass');
    expect(verdictStatus(after('ff', flapped, 700))).toBe('pass');
    expect(verdictStatus(after('fff', flapped, 700))).toBe('fail');
  });

  it('R5: a failure during recovery starts the count over and is no further fall', () => {
    const failed = after('pffff');
    expect(successesToRecover(after('pfpfpf', failed, 10), 20)).toBe(2);
  });

  it('R5: is settled while the last outcome agrees with the verdict', () => {
    expect(isSettled(unknownVerdict)).toBe(false);
    const words = ['p', 'w', 'f', 'pf', 'pff', 'pfff', 'pfffp', 'pfffpf', 'pfffpp', 'pffp'];
    expect(words.filter((word) => isSettled(after(word)))).toEqual([
      'p',
      'w',
      'f',
      'pfff',
      'pfffpf',
      'pfffpp',
      'pffp',
    ]);
  });

  it('leaves the verdict it is given as it was', () => {
    const failed = Object.freeze(fallenAt(100));
    const copy = structuredClone(failed);
    after('pppfff', failed, 200);
    expect(failed).toEqual(copy);
  });
});

describe('how far a verdict is from changing', () => {
  it.each([
    ['', 0, undefined],
    ['p', 0, { to: 'fail', count: 0, needed: 3 }],
    ['pff', 2, { to: 'fail', count: 2, needed: 3 }],
    ['pffw', 3, { to: 'fail', count: 0, needed: 3 }],
    ['f', 0, { to: 'pass', count: 0, needed: 1 }],
    ['pfff', 3, { to: 'pass', count: 0, needed: 2 }],
    ['pfffp', 4, { to: 'pass', count: 1, needed: 2 }],
    ['pfffpf', 5, { to: 'pass', count: 0, needed: 2 }],
    ['pfffppfff', 8, { to: 'pass', count: 0, needed: 4 }],
    ['pfffppfff', 5000, { to: 'pass', count: 0, needed: 2 }],
  ])('R5: after %j at %d', (word, at, streak) => {
    expect(streakOf(after(word), at, POLICY)).toStrictEqual(streak);
  });

  it('R5: as many more outcomes as it says, and no fewer, change the verdict', () => {
    for (const word of ['p', 'pf', 'pff', 'pfff', 'pfffp', 'pfffppfff', 'pfffppfffppp']) {
      const verdict = after(word);
      const { to, count, needed } = streakOf(verdict, word.length, POLICY) ?? { to: 'pass' };
      const letter = to === 'pass' ? 'p' : 'f';
      const left = (needed ?? 0) - (count ?? 0);
      expect(left, word).toBeGreaterThan(0);
      const before = after(letter.repeat(left - 1), verdict, word.length);
      expect(verdictStatus(before), word).toBe(verdictStatus(verdict));
      expect(verdictStatus(after(letter.repeat(left), verdict, word.length)), word).toBe(to);
    }
  });
});
