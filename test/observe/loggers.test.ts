import { Console } from 'node:console';
import { PassThrough, Writable } from 'node:stream';
import pino from 'pino';
import winston from 'winston';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Logger, messageFirst } from '../../src/index.js';
import { createRedactor } from '../../src/core/redact.js';
import { createSafeLogger } from '../../src/core/safe-logger.js';

const FIELDS = { event: 'check_transition', check: 'database', output: 'password=hunter2' };

function sink() {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}

function write(logger: Logger): void {
  createSafeLogger(logger, createRedactor()).warn(FIELDS, 'check "database" fails');
}

describe('loggers', () => {
  afterEach(() => vi.restoreAllMocks());

  it('O2: pino gets level, message and fields', () => {
    const { stream, text } = sink();
    write(pino(stream));
    expect(JSON.parse(text())).toMatchObject({
      level: 40,
      msg: 'check "database" fails',
      event: 'check_transition',
      check: 'database',
      output: 'password=[redacted]',
    });
  });

  it('O2: a child of pino keeps its own fields', () => {
    const { stream, text } = sink();
    write(pino(stream).child({ service: 'orders' }));
    expect(JSON.parse(text())).toMatchObject({ service: 'orders', check: 'database' });
  });

  it.each(['itself', 'a child of it'])(
    'O2: winston gets level, message and fields: %s',
    (which) => {
      const { stream, text } = sink();
      const logger = winston.createLogger({
        format: winston.format.json(),
        transports: [new winston.transports.Stream({ stream })],
      });
      write(which === 'itself' ? logger : logger.child({ service: 'orders' }));
      expect(JSON.parse(text())).toMatchObject({
        level: 'warn',
        message: 'check "database" fails',
        event: 'check_transition',
        check: 'database',
        output: 'password=[redacted]',
      });
    },
  );

  it('O2: console gets the message first', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    write(console);
    expect(warn).toHaveBeenCalledWith(
      'check "database" fails',
      expect.objectContaining({ check: 'database', output: 'password=[redacted]' }),
    );
  });

  it('O2: messageFirst() fits any other logger of that kind', () => {
    const { stream, text } = sink();
    write(messageFirst(new Console(new PassThrough(), stream)));
    expect(text()).toMatch(/^check "database" fails \{/);
  });

  it('O2: a logger with hostile properties is used as it is', () => {
    const calls: unknown[][] = [];
    const take = (...parts: unknown[]): void => void calls.push(parts);
    const hostile = new Proxy({ info: take, warn: take, error: take } as Logger, {
      get(target, name) {
        if (name in target) return target[name as keyof Logger];
        throw new Error('no such property');
      },
    });
    write(hostile);
    expect(calls).toStrictEqual([
      [expect.objectContaining({ check: 'database' }), 'check "database" fails'],
    ]);
  });
});
