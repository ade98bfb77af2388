import { describe, expect, it } from 'vitest';
import { isoTime } from '../../src/core/iso-time.js';
import { type LogFields, type Logger, silentLogger } from '../../src/core/logger.js';
import { createRedactor } from '../../src/core/redact.js';
import { createSafeLogger } from '../../src/core/safe-logger.js';

function recording(): { logger: Logger; lines: [string, LogFields, string][] } {
  const lines: [string, LogFields, string][] = [];
  const log = (level: string) => (fields: LogFields, message: string) =>
    void lines.push([level, fields, message]);
  return { logger: { info: log('info'), warn: log('warn'), error: log('error') }, lines };
}

const SECRET = 'postgres://app:hunter2@db/orders';

describe('safe logger', () => {
  it.each(['info', 'warn', 'error'] as const)('E7: redacts message and fields of %s', (level) => {
    const { logger, lines } = recording();
    createSafeLogger(logger, createRedactor())[level](
      { output: SECRET, nested: { list: [SECRET] } },
      SECRET,
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]?.[0]).toBe(level);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
    expect(JSON.stringify(lines)).toContain('db/orders');
  });

  it('E7: masks the value of a secret-looking key, whatever its type', () => {
    const { logger, lines } = recording();
    createSafeLogger(logger, createRedactor()).info(
      { password: 1234, nested: { token: ['a'] } },
      'm',
    );
    expect(lines[0]?.[1]).toStrictEqual({
      password: '[redacted]',
      nested: { token: '[redacted]' },
    });
  });

  it('keeps the lines of a stack, redacted and bounded', () => {
    const { logger, lines } = recording();
    const stack = `Error: ${SECRET}\n    at one\n    at two`;
    createSafeLogger(logger, createRedactor()).error({ stack, long: { stack: 1 } }, 'm');
    createSafeLogger(logger, createRedactor()).error({ stack: 'at one; '.repeat(1000) }, 'm');
    expect(lines[0]?.[1]['stack']).toBe(
      'Error: postgres://[redacted]@db/orders\n    at one\n    at two',
    );
    expect(String(lines[1]?.[1]['stack'])).toHaveLength(4000);
  });

  it('renders an error given as a field', () => {
    const { logger, lines } = recording();
    createSafeLogger(logger, createRedactor()).error({ err: new Error(SECRET) }, 'm');
    expect(lines[0]?.[1]).toStrictEqual({ err: 'postgres://[redacted]@db/orders' });
  });

  it('contains a logger that throws', () => {
    const broken = (): never => {
      throw new Error('disk full');
    };
    const logger = createSafeLogger(
      { info: broken, warn: broken, error: broken },
      createRedactor(),
    );
    expect(() => logger.error({}, 'm')).not.toThrow();
  });

  it('O2: a line break in a message cannot forge a line', () => {
    const { logger, lines } = recording();
    createSafeLogger(logger, createRedactor()).info({}, 'one\n{"level":"fatal"}');
    expect(lines[0]?.[2]).toBe('one {"level":"fatal"}');
  });
});

describe('small things the core offers', () => {
  it('formats a wall-clock time as ISO 8601 in UTC', () => {
    expect(isoTime(1_796_000_000_123)).toBe('2026-11-30T00:53:20.123Z');
  });

  it('a silent logger takes everything and returns nothing', () => {
    expect([
      silentLogger.info({}, 'm'),
      silentLogger.warn({}, 'm'),
      silentLogger.error({}, 'm'),
    ]).toStrictEqual([undefined, undefined, undefined]);
  });

  it('a logger that rejects is contained like one that throws', async () => {
    let written = 0;
    const rejecting = (() => {
      written += 1;
      return Promise.reject(new Error('disk full'));
    }) as () => void;
    const logger = createSafeLogger(
      { info: rejecting, warn: rejecting, error: rejecting },
      createRedactor(),
    );
    logger.error({}, 'm');
    // A rejection nobody handles is raised after the microtasks, and fails the test run.
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBe(1);
  });
});
