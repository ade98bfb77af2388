import { describe, expect, it } from 'vitest';
import { decide } from '../../src/core/decision.js';
import type { Reason } from '../../src/core/reason.js';
import { encodeAgentCheck, weightByLoad } from '../../src/protocol/agent-check.js';

const failing = (reason: Reason) =>
  encodeAgentCheck({ decision: decide([reason], []), ready: false });

describe('E6: the agent check', () => {
  it('says up, and takes an earlier drain back', () => {
    const decision = decide([], []);
    expect(encodeAgentCheck({ decision, ready: true })).toBe('up ready\n');
    expect(encodeAgentCheck({ decision, ready: true, weightPercent: 75 })).toBe('up ready 75%\n');
  });

  it.each<[Reason, string]>([
    ['draining', 'drain # draining\n'],
    ['maintenance', 'drain # maintenance\n'],
    ['at_capacity', 'drain # at_capacity\n'],
    ['stopped', 'down # stopped\n'],
    ['starting', 'down # starting\n'],
    ['check_failed:order cache', 'down # check_failed:order cache\n'],
  ])('says what %s means', (reason, line) => {
    expect(failing(reason)).toBe(line);
  });

  it('follows what readiness answers at status warn', () => {
    const decision = decide([], ['check_degraded:cache']);
    expect(encodeAgentCheck({ decision, ready: true })).toBe('up ready\n');
    expect(encodeAgentCheck({ decision, ready: false })).toBe('down # check_degraded:cache\n');
  });

  it('weighs by load, never down to 0', () => {
    expect([0, 25, 50, 99, 100, 150].map((count) => weightByLoad(count, 100))).toEqual([
      100, 75, 50, 1, 1, 1,
    ]);
  });
});
