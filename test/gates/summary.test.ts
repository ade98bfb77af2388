import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSummary } from '../../tools/lib/summary.mjs';

const silence = () => vi.spyOn(console, 'log').mockImplementation(() => {});
const line = { name: 'vitest unit', tookMs: 1, note: '', failures: [], retried: [] };

afterEach(() => {
  vi.restoreAllMocks();
});

describe('summary', () => {
  it('ends with the totals alone on the last line', async () => {
    const log = silence();
    const summary = createSummary();
    await summary.gate('lint', () => Promise.resolve({ ok: true, examined: 3, output: '' }));
    summary.project({ ...line, passed: 4, failed: 0 });
    expect(summary.finish()).toBe(0);
    expect(log.mock.lastCall).toEqual(['5 passed, 0 failed']);
  });

  it('fails when no vitest test ran, however many gates passed', async () => {
    const log = silence();
    const summary = createSummary();
    await summary.step('build', () => Promise.resolve());
    summary.project({ ...line, passed: 0, failed: 0 });
    expect(summary.finish()).toBe(1);
    expect(log.mock.lastCall).toEqual(['1 passed, 1 failed']);
  });

  it('counts a gate that throws as failed and shows its message', async () => {
    const log = silence();
    const summary = createSummary();
    await summary.gate('lint', () => Promise.reject(new Error('no such tool')));
    summary.project({ ...line, passed: 1, failed: 0 });
    expect(summary.finish()).toBe(1);
    expect(log.mock.calls.flat().join('\n')).toContain('no such tool');
  });

  it('names at the end what failed', async () => {
    const log = silence();
    const summary = createSummary();
    await summary.gate('lint', () => Promise.resolve({ ok: false, examined: 1, output: 'a.ts:1' }));
    summary.project({
      ...line,
      passed: 2,
      failed: 1,
      failures: ['b.test.ts: adds (failed)'],
      retried: ['c.test.ts: slow'],
    });
    log.mockClear();
    summary.finish();
    expect(log.mock.calls.flat().join('\n')).toContain('SECOND TRY c.test.ts: slow');
    expect(log.mock.calls.flat().join('\n')).toMatch(
      /FAILED lint\n +a\.ts:1[^]*FAILED b\.test\.ts: adds/,
    );
  });
});
