import { describe, expect, it } from 'vitest';
import { createThrottledLogger } from '../../src/core/log-throttle.js';
import type { LogFields, Logger } from '../../src/core/logger.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

const HOUR_MS = 3_600_000;

function kit() {
  const lines: (readonly [level: string, fields: LogFields, message: string])[] = [];
  const log = (level: keyof Logger) => (fields: LogFields, message: string) =>
    void lines.push([level, fields, message]);
  const clock = createManualClock();
  const sink = { info: log('info'), warn: log('warn'), error: log('error') };
  return { lines, clock, logger: createThrottledLogger(sink, clock) };
}

type Kit = ReturnType<typeof kit>;

function flap({ logger }: Kit, check: string, times: number): void {
  for (let index = 0; index < times; index += 1) {
    const to = index % 2 === 0 ? 'fail' : 'pass';
    logger.warn({ event: 'check_transition', check, to, index }, `check "${check}" is at ${to}`);
  }
}

describe('throttled logger', () => {
  it('O2: a check that flaps each second for an hour makes 70 lines, and the last word is told', async () => {
    const each = kit();
    for (let second = 0; second < 3600; second += 1) {
      each.logger.warn({ event: 'check_transition', check: 'database', second }, 'flaps');
      await each.clock.advance(1000);
    }
    await each.clock.advance(HOUR_MS);
    expect(each.lines.length).toBeGreaterThan(60);
    expect(each.lines.length).toBeLessThanOrEqual(71);
    expect(each.lines.at(-1)?.[1]).toMatchObject({ second: 3599 });
  });

  it('O2: what is dropped is counted', async () => {
    const each = kit();
    flap(each, 'database', 30);
    expect(each.lines).toHaveLength(10);
    await each.clock.advance(60_000);
    expect(each.lines).toHaveLength(11);
    expect(each.lines[10]?.[1]).toMatchObject({ index: 29, suppressed: 19 });
    expect(each.lines[10]?.[2]).toContain('19 more since the last line');
  });

  it('O2: subjects do not take lines from one another, and other events are never held back', () => {
    const each = kit();
    flap(each, 'database', 30);
    flap(each, 'cache', 3);
    for (let index = 0; index < 50; index += 1) each.logger.info({ event: 'drain_step' }, 'step');
    expect(each.lines).toHaveLength(10 + 3 + 50);
  });

  it('O2: after an hour of quiet a failure is told at once', async () => {
    const each = kit();
    flap(each, 'database', 30);
    await each.clock.advance(HOUR_MS);
    const before = each.lines.length;
    flap(each, 'database', 1);
    expect(each.lines).toHaveLength(before + 1);
  });

  it('O2: that the process drains is told at once, however readiness flapped', () => {
    const each = kit();
    for (let index = 0; index < 30; index += 1)
      each.logger.warn({ event: 'readiness', reason: 'check_failed:database' }, 'flaps');
    each.logger.info({ event: 'readiness', reason: 'draining' }, 'drains');
    expect(each.lines).toHaveLength(11);
    expect(each.lines[10]?.[1]).toMatchObject({ reason: 'draining', suppressed: 20 });
  });

  it('O2, H1: that a lease is renewed again is the last word on failures that were held back', async () => {
    const each = kit();
    for (let index = 0; index < 15; index += 1)
      each.logger.warn({ event: 'lease_renew_failed', lease: 'orders' }, 'could not renew');
    each.logger.info({ event: 'lease_renewed', lease: 'orders' }, 'renewed again');
    await each.clock.advance(HOUR_MS);
    expect(each.lines).toHaveLength(11);
    expect(each.lines[10]?.[1]).toMatchObject({ event: 'lease_renewed', suppressed: 5 });
  });

  it.each(['lease_lost', 'lease_granted', 'lease_denied'])(
    'O2, H1: %s is told at once, after the last failure',
    async (event) => {
      const each = kit();
      for (let index = 0; index < 15; index += 1)
        each.logger.warn({ event: 'lease_renew_failed', lease: 'orders', index }, 'no');
      each.logger.error({ event, lease: 'orders' }, 'what became of it');
      expect(each.lines.slice(10).map(([, fields]) => fields)).toStrictEqual([
        { event: 'lease_renew_failed', lease: 'orders', index: 14, suppressed: 4 },
        { event, lease: 'orders' },
      ]);
      await each.clock.advance(HOUR_MS);
      expect(each.lines).toHaveLength(12);
    },
  );

  it('O2: flush tells what is held back, once, and leaves no timer', async () => {
    const each = kit();
    flap(each, 'database', 12);
    each.logger.flush();
    each.logger.flush();
    expect(each.lines).toHaveLength(11);
    expect(each.clock.pendingTimers).toBe(0);
    await each.clock.advance(HOUR_MS);
    expect(each.lines).toHaveLength(11);
  });

  it('O2: ten thousand names that come and go are forgotten', async () => {
    const each = kit();
    for (let index = 0; index < 10_000; index += 1) {
      flap(each, `check ${index}`, 1);
      await each.clock.advance(1000);
    }
    expect(each.logger.subjects).toBeLessThanOrEqual(1000);
  });

  it('O2: ten thousand names that fail together are told in no time, and forgotten later', async () => {
    const each = kit();
    // A look through all of them at each took two minutes.
    for (let index = 0; index < 10_000; index += 1) flap(each, `check ${index}`, 1);
    expect(each.lines).toHaveLength(10_000);
    await each.clock.advance(HOUR_MS);
    for (let index = 0; index < 10_000; index += 1) flap(each, `other ${index}`, 1);
    expect(each.logger.subjects).toBeLessThanOrEqual(20_000);
  });
});
