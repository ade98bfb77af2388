import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { resolveAdmission } from '../../src/core/admission-options.js';
import { type LimitSample, createAimdLimit } from '../../src/core/concurrency-limit.js';
import { type AdmissionResponse, createAdmission } from '../../src/engine/admission.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from './support.js';

class FakeResponse extends EventEmitter implements AdmissionResponse {
  statusCode = 200;
  readonly headers: Record<string, string> = {};
  body: string | undefined;

  setHeader(name: string, value: string): void {
    this.headers[name] = value;
  }

  end(body: string): void {
    this.body = body;
    this.emit('close');
  }
}

function setUp(options: Parameters<typeof resolveAdmission>[0], leaveAt?: number) {
  const clock = createManualClock();
  const log = createLog();
  const admission = createAdmission({
    options: resolveAdmission(options, leaveAt),
    clock,
    random: () => 0.5,
    logger: log.logger,
  });
  return { clock, log, admission };
}

describe('admission', () => {
  it('R8: admits up to the limit and answers 503 with Retry-After before any work', () => {
    const { admission } = setUp({ limit: 2, retryAfterMs: 2000 });
    const admit = admission.middleware();
    let worked = 0;
    const send = () => {
      const response = new FakeResponse();
      admit({}, response, () => (worked += 1));
      return response;
    };
    const [first, , third] = [send(), send(), send()];
    expect([worked, third.statusCode, third.body]).toEqual([
      2,
      503,
      '{"status":"fail","reason":"at_capacity"}',
    ]);
    expect(third.headers).toMatchObject({ 'Retry-After': '3', 'Cache-Control': 'no-store' });
    first.end('done');
    expect([send().statusCode, worked]).toEqual([200, 3]);
  });

  it('R8: without HTTP: a result to end, once', () => {
    const { admission } = setUp({}, 1);
    const first = admission.admit();
    expect(admission.admit()).toEqual({ admitted: false, retryAfterMs: 1500 });
    if (!first.admitted) throw new Error('not admitted');
    first.done();
    first.done();
    expect([admission.admit().admitted, admission.admit().admitted]).toEqual([true, false]);
  });

  it('R8: rejections are logged at most every 10 s, with their number', async () => {
    const { admission, clock, log } = setUp({ limit: 1 });
    for (let request = 0; request < 5; request += 1) admission.admit();
    await clock.advance(10_000);
    admission.admit();
    expect(log.lines.map(({ fields }) => fields['rejected'])).toEqual([1, 4]);
  });

  it('R8: an adaptive limit hears how each request went; one that throws harms nobody', async () => {
    const samples: LimitSample[] = [];
    const { admission, clock, log } = setUp({
      limit: {
        limit: 5,
        observe(sample) {
          samples.push(sample);
          throw new Error('broken');
        },
      },
    });
    const result = admission.admit();
    admission.admit();
    await clock.advance(40);
    if (result.admitted) result.done(true);
    expect(samples).toEqual([{ durationMs: 40, inFlight: 2, failed: true }]);
    expect(log.lines).toMatchObject([{ fields: { event: 'limit_failed', output: 'broken' } }]);
  });

  it('R8: the AIMD limit fits, and a missing or wrong limit is named', () => {
    expect(setUp({ limit: createAimdLimit({ latencyMs: 50 }) }).admission.admit().admitted).toBe(
      true,
    );
    expect(() => setUp({}).admission.middleware()).toThrow(
      'admission.limit must be set, or capacity.leaveAt, got undefined',
    );
    expect(() => setUp({ limit: 0 })).toThrow('admission.limit must be a whole number from 1');
    expect(() => setUp({ limit: {} as never })).toThrow('or a ConcurrencyLimit');
    expect(() => setUp({ retryAfterMs: -1 })).toThrow('admission.retryAfterMs');
  });
});
