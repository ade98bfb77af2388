import { describe, expect, it } from 'vitest';
import {
  ConformanceError,
  type ConformanceOptions,
  conformanceCases,
} from '../../src/testing/index.js';
import { CASE_IDS } from '../../src/testing/conformance/case-ids.js';
import { createCountingClock } from '../../src/testing/conformance/counting-clock.js';
import { createJournal } from '../../src/testing/conformance/journal.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

const OPTIONS: ConformanceOptions = {
  name: 'orders',
  server: () => {
    throw new Error('asked too early');
  },
  createSubject: () => ({ run: () => undefined }),
};
const because = 'it has no password';

describe('conformanceCases', () => {
  it('C10: gives every case with a title, without asking for the server', () => {
    const cases = conformanceCases(OPTIONS);
    expect(cases.map(({ id }) => id)).toEqual(CASE_IDS);
    expect(cases[0]?.title).toBe('orders, healthy: passes against a healthy server');
  });

  it('C10: leaves out what is declared not to apply, and nothing else', () => {
    const cases = conformanceCases({ ...OPTIONS, exceptions: { wrong_password: { because } } });
    expect(cases.map(({ id }) => id)).toEqual(CASE_IDS.filter((id) => id !== 'wrong_password'));
  });

  it.each([
    [{ timeoutMs: 0 }, 'conformanceCases.timeoutMs must be a number from 1 to 2147483647, got 0'],
    [{ runs: 0 }, /runs must be a whole number from 1/],
    [{ heldConnections: -1 }, /heldConnections must be a whole number from 0/],
    [{ exceptions: { stoped: { because } } }, /exceptions \(case\) must be one of "healthy", /],
    [{ exceptions: { stopped: { because: '' } } }, /exceptions.stopped.because must be a text/],
    [{ exceptions: { stopped: { because, verdict: 'ok' } } }, /stopped.verdict must be one of/],
    [
      { exceptions: Object.fromEntries(CASE_IDS.map((id) => [id, { because }])) },
      /exceptions must be exceptions that leave at least one case/,
    ],
    [{ name: 'a:b' }, /name must be a name/],
    [{ createSubject: 1 }, /createSubject must be a function/],
    [{ server: null }, /server must be an object/],
  ])('refuses %j', (part, message) => {
    expect(() => conformanceCases({ ...OPTIONS, ...part } as ConformanceOptions)).toThrow(message);
  });
});

describe('what the kit is made of', () => {
  it('a journal keeps a finding once, and each text once', () => {
    const journal = createJournal(['sesame']);
    const outcome = { status: 'fail', output: 'no', at: 1, wallAt: 1, durationMs: 7 } as const;
    journal.saw(outcome);
    journal.saw({ ...outcome, durationMs: 3 });
    journal.saw({ ...outcome, output: 'open sesame' });
    journal.logger.warn({ token: 'sesame' }, 'hm');
    journal.logger.error({ token: 'sesame' }, 'hm');
    expect(journal.violations).toEqual([
      { rule: 'secret', detail: 'told in an outcome' },
      { rule: 'secret', detail: 'told in a log line' },
    ]);
    expect(journal.report(5)).toEqual({
      runs: 3,
      longestMs: 7,
      attempts: 5,
      outputs: ['no', 'open sesame'],
    });
  });

  it('a counting clock knows fired and cleared timers from pending ones', async () => {
    const manual = createManualClock();
    const clock = createCountingClock(manual);
    clock.setTimeout(() => {}, 10);
    const cleared = clock.setTimeout(() => {}, 20);
    clock.setTimeout(() => {}, 30);
    expect(clock.pendingTimers).toBe(3);
    cleared.clear();
    await manual.advance(10);
    expect(clock.pendingTimers).toBe(1);
    expect([clock.now(), clock.wallNow()]).toEqual([manual.now(), manual.wallNow()]);
  });

  it('an error names each rule and what was seen', () => {
    const error = new ConformanceError('orders, leak', [{ rule: 'leak', detail: '7 are open' }]);
    expect(error.message).toBe('orders, leak\n  leak: 7 are open');
  });
});
