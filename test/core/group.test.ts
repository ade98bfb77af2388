import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckStatus } from '../../src/core/check.js';
import { type GroupOptions, createGroup, groupStatus } from '../../src/core/group.js';

const CHECKS = ['a', 'b', 'c'];

function statusOf(letters: string, options: GroupOptions): CheckStatus {
  const words: Record<string, CheckStatus> = { p: 'pass', w: 'warn', f: 'fail', '?': 'unknown' };
  const group = createGroup('replicas', options);
  return groupStatus(group, (check) => words[letters.charAt(CHECKS.indexOf(check))] ?? 'unknown');
}

describe('group', () => {
  it('R7: one of three replicas is enough, and the lost ones show as a warning', () => {
    const group = { members: CHECKS };
    expect(statusOf('ppp', group)).toBe('pass');
    expect(statusOf('pff', group)).toBe('warn');
    expect(statusOf('fff', group)).toBe('fail');
    expect(statusOf('wpp', group)).toBe('warn');
    expect(statusOf('wff', group)).toBe('warn');
  });

  it('R7: is unknown only while the unknown members decide', () => {
    const group = { members: CHECKS, quorum: 2 };
    expect(statusOf('p?f', group)).toBe('unknown');
    expect(statusOf('???', group)).toBe('unknown');
    expect(statusOf('?ff', group)).toBe('fail');
    expect(statusOf('pp?', group)).toBe('warn');
  });

  it('R7: members count by weight', () => {
    const group = { members: { a: 3, b: 1, c: 1 }, quorum: 3 };
    expect(statusOf('pff', group)).toBe('warn');
    expect(statusOf('fpp', group)).toBe('fail');
    expect(statusOf('f?p', group)).toBe('fail');
    expect(statusOf('?pf', group)).toBe('unknown');
  });

  it('R7: decimal weights add up as their decimals do', () => {
    const group = { members: { a: 0.7, b: 0.1, c: 0.2 }, quorum: 0.8 };
    expect(statusOf('ppf', group)).toBe('warn');
    expect(statusOf('fpp', group)).toBe('fail');
    expect(statusOf('pp', { members: { a: 0.7, b: 0.1 }, quorum: 0.8 })).toBe('pass');
  });

  it('R7: the quorum may ask for every member', () => {
    const group = { members: CHECKS, quorum: 3 };
    expect(statusOf('ppp', group)).toBe('pass');
    expect(statusOf('ppf', group)).toBe('fail');
  });

  it('R7: is critical with a quorum of one unless told otherwise', () => {
    expect(createGroup('g', { members: ['a'] })).toEqual({
      name: 'g',
      impact: 'critical',
      members: [{ check: 'a', weight: 1 }],
      quorum: 1,
    });
    expect(createGroup('g', { members: ['a'], impact: 'degraded' }).impact).toBe('degraded');
  });

  it('R7: a member that recovers never makes the group worse', () => {
    const letters = fc.constantFrom('p', 'w', 'f', '?');
    const rank: Record<CheckStatus, number> = { fail: 0, unknown: 1, warn: 2, pass: 3 };
    fc.assert(
      fc.property(letters, letters, fc.integer({ min: 1, max: 3 }), (a, b, quorum) => {
        const group = { members: CHECKS, quorum };
        const worst = statusOf(`f${a}${b}`, group);
        const open = statusOf(`?${a}${b}`, group);
        const best = statusOf(`p${a}${b}`, group);
        expect(rank[worst]).toBeLessThanOrEqual(rank[open]);
        expect(rank[open]).toBeLessThanOrEqual(rank[best]);
      }),
    );
  });

  const bad: readonly (readonly [name: string, options: unknown, message: string])[] = [
    ['g', 5, 'groups.g must be an object, got 5'],
    ['g', {}, 'groups.g.members must be a list of check names or an object'],
    ['g', { members: 'abc' }, 'got "abc"'],
    ['g', { members: null }, 'got null'],
    ['g', { members: [] }, 'groups.g.members must be one check or more, got an array of 0'],
    ['g', { members: ['a', 'a'] }, 'each check appears once, got "a, a"'],
    ['g', { members: ['a:b'] }, 'groups.g.members (a check name) must be a name'],
    ['g', { members: { a: 0 } }, 'groups.g.members.a must be a number above 0 and up to 1000000'],
    ['g', { members: { a: -1 } }, 'got -1'],
    ['g', { members: { a: Infinity } }, 'got Infinity'],
    ['g', { members: { a: '1' } }, 'got "1"'],
    ['g', { members: ['a'], quorum: 0 }, 'groups.g.quorum must be a number above 0, got 0'],
    ['g', { members: ['a'], quorum: NaN }, 'got NaN'],
    ['g', { members: ['a'], quorum: 1.5 }, 'above 0 and up to 1, the weight of all members'],
    ['g', { members: ['a'], impact: 'urgent' }, 'groups.g.impact must be one of "critical"'],
    ['__proto__', { members: ['a'] }, 'groups (a group name) must be a name'],
  ];
  it.each(bad)('R7: refuses group %s %j: %s', (name, options, message) => {
    expect(() => createGroup(name, options as GroupOptions)).toThrow(message);
  });
});
