import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { DrainResult } from '../../src/engine/drain.js';
import type { ProcessEvent } from '../../src/engine/process-port.js';
import { type SignalsOptions, handleSignals } from '../../src/engine/signals.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from './support.js';

const EVENTS: ProcessEvent[] = ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection'];

function setUp(overrides: Partial<SignalsOptions> = {}) {
  const emitter = new EventEmitter();
  const exits: number[] = [];
  const drains: string[] = [];
  const log = createLog();
  const ended = (reason: string, exitCode: 0 | 1): Promise<DrainResult> => {
    drains.push(reason);
    return Promise.resolve({ reason, exitCode, durationMs: 0, steps: [] });
  };
  const dispose = handleSignals({
    process: {
      on: (event, listener) => void emitter.on(event, listener),
      off: (event, listener) => void emitter.off(event, listener),
      exit: (code) => void exits.push(code),
    },
    drain: { begin: (reason) => ended(reason, 0), crash: (reason) => ended(reason, 1) },
    logger: log.logger,
    onUnhandledRejection: 'shutdown',
    ...overrides,
  });
  const settle = () => createManualClock().settle();
  return { emitter, exits, drains, log, dispose, settle };
}

describe('signals', () => {
  it.each(['SIGTERM', 'SIGINT'])('D1, D6: %s drains and exits with its code', async (signal) => {
    const { emitter, exits, drains, settle } = setUp();
    emitter.emit(signal);
    await settle();
    expect([drains, exits]).toEqual([[signal], [0]]);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('D2: a second signal (%s) exits at once with %i', (signal, code) => {
    const never = () => new Promise<DrainResult>(() => {});
    const { emitter, exits } = setUp({ drain: { begin: never, crash: never } });
    emitter.emit('SIGTERM');
    expect(exits).toEqual([]);
    emitter.emit(signal);
    expect(exits).toEqual([code]);
  });

  it.each([
    ['uncaughtException', 'uncaught_exception'],
    ['unhandledRejection', 'unhandled_rejection'],
  ])('D5: %s is logged with its stack, drains briefly and exits with 1', async (event, reason) => {
    const { emitter, exits, drains, log, settle } = setUp();
    emitter.emit(event, new Error('boom'));
    await settle();
    expect([drains, exits]).toEqual([[reason], [1]]);
    expect(log.lines).toMatchObject([
      { level: 'error', fields: { event: reason, output: 'boom', stack: expect.any(String) } },
    ]);
  });

  it('D5: whatever was thrown, the process ends', async () => {
    for (const thrown of [undefined, null, 0, '', { message: 1 }, Symbol('s'), hostile]) {
      const { emitter, exits, settle } = setUp();
      emitter.emit('uncaughtException', thrown);
      await settle();
      expect(exits).toEqual([1]);
    }
  });

  it('D5: an unhandled rejection is only logged by policy', async () => {
    const { emitter, exits, log, settle } = setUp({ onUnhandledRejection: 'log' });
    emitter.emit('unhandledRejection', undefined);
    await settle();
    expect(exits).toEqual([]);
    expect(log.lines[0]).toMatchObject({ fields: { event: 'unhandled_rejection' } });
  });

  it('leaves no listener behind after dispose', () => {
    const { emitter, dispose } = setUp();
    const counts = () => EVENTS.map((event) => emitter.listenerCount(event));
    expect(counts()).toEqual([1, 1, 1, 1]);
    dispose();
    expect(counts()).toEqual([0, 0, 0, 0]);
  });
});

const hostile = {
  get message(): string {
    throw new Error('unreadable');
  },
};
