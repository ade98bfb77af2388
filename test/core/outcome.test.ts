import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HaleError } from '../../src/core/errors.js';
import { type RunTime, outcomeFromError, outcomeFromResult } from '../../src/core/outcome.js';
import { createRedactor } from '../../src/core/redact.js';
import { hostileValues } from './hostile-values.js';

const TIME: RunTime = { at: 10, wallAt: 20, durationMs: 3 };
const redact = createRedactor();
const fromResult = (result: unknown) => outcomeFromResult(result, TIME, redact);
const fromError = (error: unknown) => outcomeFromError(error, TIME, redact);

describe('outcome of a result', () => {
  it('C1: nothing returned passes', () => {
    expect(fromResult(undefined)).toEqual({ status: 'pass', ...TIME });
    expect(fromResult({})).toEqual({ status: 'pass', ...TIME });
    expect(fromResult(Object.create(null))).toEqual({ status: 'pass', ...TIME });
  });

  it('C1: a result is kept as it is', () => {
    const result = {
      status: 'warn',
      code: 'pool_busy',
      observedValue: { used: 9, names: ['a', null, true] },
      observedUnit: 'connections',
      output: 'nine of ten in use',
    };
    expect(fromResult(result)).toEqual({ ...result, ...TIME });
    expect(fromResult({ status: 'fail' })).toEqual({ status: 'fail', ...TIME });
    expect(fromResult({ observedValue: 0, output: '' })).toEqual({
      status: 'pass',
      observedValue: 0,
      output: '',
      ...TIME,
    });
  });

  it('C1: an instance of a class may be a result', () => {
    class Result {
      get status() {
        return 'warn';
      }
    }
    expect(fromResult(new Result())).toEqual({ status: 'warn', ...TIME });
  });

  it('C1: a result with other properties next to the known ones counts by these', () => {
    expect(fromResult({ status: 'pass', rows: [] })).toEqual({ status: 'pass', ...TIME });
    expect(fromResult({ output: undefined, extra: 1 })).toEqual({ status: 'pass', ...TIME });
  });

  const defects: readonly (readonly [result: unknown, text: string])[] = [
    [{ status: 'ok' }, 'status must be "pass", "warn" or "fail", got "ok"'],
    [{ status: 'unknown' }, 'got "unknown"'],
    [{ status: 200 }, 'got 200'],
    [{ status: null }, 'got null'],
    [{ code: 'Not Snake' }, 'code must be a snake_case word of up to 64 characters'],
    [{ code: '9lives' }, 'got "9lives"'],
    [{ code: 'x\n' }, 'code must be'],
    [{ code: `a${'b'.repeat(64)}` }, 'code must be'],
    [{ code: 5 }, 'got 5'],
    [{ observedUnit: 5 }, 'observedUnit must be a string, got 5'],
    [{ output: ['x'] }, 'output must be a string, got an array of 1'],
    [{ ok: false }, 'a check must return nothing or an object with status, code,'],
    [null, 'got null'],
    [false, 'got false'],
    [true, 'got true'],
    ['PONG', 'got "PONG"'],
    [[], 'got an array of 0'],
    [() => {}, 'got function (anonymous)'],
    [new Error('returned'), 'got an object of Error'],
    [Object.assign(new Error('returned'), { code: 'refused' }), 'got an object of Error'],
    [new Map(), 'got an object of Map'],
    [Object.assign([], { status: 'pass' }), 'got an array of 0'],
  ];
  it.each(defects)('C1: %j is a failure that says why', (result, text) => {
    const outcome = fromResult(result);
    expect(outcome).toMatchObject({ status: 'fail', code: 'invalid_outcome', ...TIME });
    expect(outcome.output).toContain(text);
  });

  it('C1: accepts a code of 64 characters', () => {
    const code = `a${'b'.repeat(63)}`;
    expect(fromResult({ code }).code).toBe(code);
  });

  it('C1: a status that changes between two looks is taken once', () => {
    let looks = 0;
    const result = {
      get status() {
        looks += 1;
        return looks === 1 ? 'fail' : 'pass';
      },
    };
    expect(fromResult(result).status).toBe('fail');
    expect(looks).toBe(1);
  });

  it('C1: a result that cannot be read is a failure that says so', () => {
    const outcome = fromResult({
      get status() {
        throw new Error('gone');
      },
    });
    expect(outcome).toMatchObject({
      status: 'fail',
      code: 'invalid_outcome',
      output: "a check's result cannot be read: gone",
    });
  });

  it('E7: secrets in any field are redacted', () => {
    const secret = 'postgres://app:hunter2@db/orders';
    const outcome = fromResult({
      observedValue: { url: secret, [secret]: 1 },
      observedUnit: secret,
      output: secret,
    });
    expect(JSON.stringify(outcome)).not.toContain('hunter2');
    expect(outcome.output).toBe('postgres://[redacted]@db/orders');
  });
});

describe('outcome of an error', () => {
  it('C1: a thrown error fails with its message', () => {
    expect(fromError(new Error('connect ECONNREFUSED 127.0.0.1:5432'))).toEqual({
      status: 'fail',
      code: 'error',
      output: 'connect ECONNREFUSED 127.0.0.1:5432',
      ...TIME,
    });
  });

  it("C2: hale's own errors have a code of their own", () => {
    const codeOf = (code: ConstructorParameters<typeof HaleError>[0]) =>
      fromError(new HaleError(code, 'x')).code;
    expect(codeOf('HALE_CHECK_TIMEOUT')).toBe('timeout');
    expect(codeOf('HALE_CHECK_HUNG')).toBe('hung');
    expect(codeOf('HALE_OUTCOME_INVALID')).toBe('invalid_outcome');
    expect(codeOf('HALE_STATE')).toBe('error');
  });

  it('E7: output is one line of bounded length, without control characters', () => {
    const output = (message: string) => fromError(new Error(message)).output;
    expect(output('a\r\nb\tc\u0000d\u001b[31me\u2028f\u0085g')).toBe('a b c d [31me f g');
    expect(output('\n a \n')).toBe('a');
    expect(output('x'.repeat(500))).toBe('x'.repeat(500));
    expect(output('x'.repeat(501))).toBe(`${'x'.repeat(500)}…`);
  });

  it('E7: a control character does not end a secret early', () => {
    expect(fromError(new Error('password=abc\u0001def')).output).toBe('password=[redacted]');
  });
});

describe('outcome of anything', () => {
  it.each(hostileValues)('C4: $name never throws and fails', ({ make }) => {
    for (const outcome of [fromError(make()), fromResult(make() ?? null)]) {
      expect(outcome).toMatchObject({ status: 'fail', ...TIME });
      expect(outcome.output).toMatch(/^\P{Cc}+$/u);
      expect(structuredClone(outcome)).toEqual(outcome);
    }
  });

  it.each(hostileValues)('C4: $name as an observed value never throws', ({ make }) => {
    const outcome = fromResult({ observedValue: make() ?? null, output: 'fine' });
    expect(outcome).toMatchObject({ status: 'pass', output: 'fine' });
    expect(JSON.stringify(outcome).length).toBeLessThan(100_000);
    expect(structuredClone(outcome)).toEqual(outcome);
  });

  it('C4: no value at all escapes', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (value) => {
        expect(fromError(value).status).toBe('fail');
        expect(['pass', 'warn', 'fail']).toContain(fromResult(value).status);
        expect(fromResult({ status: 'warn', observedValue: value }).status).toBe('warn');
      }),
    );
  });
});
