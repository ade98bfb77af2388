import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { DrainResult } from '../../src/engine/drain.js';
import type { ProcessEvent } from '../../src/engine/process-port.js';
import { type SignalsOptions, handleSignals } from '../../src/engine/signals.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from './support.js';

const EVENTS: ProcessEvent[] = [
  'SIGTERM',
  'SIGINT',
  'beforeExit',
  'exit',
  'uncaughtException',
  'unhandledRejection',
];

function setUp(overrides: Partial<SignalsOptions> = {}) {
  const emitter = new EventEmitter();
  const exits: number[] = [];
  const drains: string[] = [];
  const log = createLog();
  const flushes: string[] = [];
  const delays: (number | undefined)[] = [];
  const ended = (reason: string, exitCode: 0 | 1): Promise<DrainResult> => {
    drains.push(reason);
    return Promise.resolve({ reason, exitCode, durationMs: 0, steps: [] });
  };
  const dispose = handleSignals({
    process: {
      on: (event, listener) => void emitter.on(event, listener),
      off: (event, listener) => void emitter.off(event, listener),
      listenerCount: (event) => emitter.listenerCount(event),
      exit: (code) => void exits.push(code),
    },
    drain: {
      begin(reason, delayMs) {
        delays.push(delayMs);
        return ended(reason, 0);
      },
      crash: (reason) => ended(reason, 1),
      underWay: false,
    },
    logger: { ...log.logger, flush: () => void flushes.push('flushed') },
    onUncaughtException: 'shutdown',
    onUnhandledRejection: 'shutdown',
    open: () => ['hook "database" (running)'],
    ...overrides,
  });
  const settle = () => createManualClock().settle();
  return { emitter, exits, drains, delays, log, flushes, dispose, settle };
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
    const { emitter, exits } = setUp({ drain: { begin: never, crash: never, underWay: true } });
    emitter.emit('SIGTERM');
    expect(exits).toEqual([]);
    emitter.emit(signal);
    expect(exits).toEqual([code]);
  });

  it('O2: what the log holds back is written before the process ends, whoever ends it', () => {
    const { emitter, flushes } = setUp();
    emitter.emit('exit', 1);
    expect(flushes).toStrictEqual(['flushed']);
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

  it('D5: an error whose stack cannot be read drains too', async () => {
    const error = Object.defineProperty(new Error('boom'), 'stack', {
      get() {
        throw new Error('not to be read');
      },
    });
    const { emitter, exits, drains, settle } = setUp();
    emitter.emit('uncaughtException', error);
    await settle();
    expect([drains, exits]).toEqual([['uncaught_exception'], [1]]);
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
    expect(counts()).toEqual([1, 1, 1, 1, 1, 1]);
    dispose();
    expect(counts()).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('D5: what is left to others gets no listener', () => {
    const { emitter } = setUp({ onUncaughtException: 'leave', onUnhandledRejection: 'leave' });
    expect(EVENTS.map((event) => emitter.listenerCount(event))).toEqual([1, 1, 1, 1, 0, 0]);
  });

  it('D1, D6: a process with nothing left to do drains without delay and keeps its own exit code', async () => {
    const { emitter, exits, drains, delays, settle } = setUp();
    emitter.emit('beforeExit', 3);
    await settle();
    expect([drains, delays, exits]).toEqual([['before_exit'], [0], [3]]);
  });

  it('D2: a framework that ends, takes its listener off and raises the signal again asks for nothing new', async () => {
    const { emitter, exits, log, settle } = setUp(neverEnding);
    const framework = () => {};
    emitter.on('SIGTERM', framework);
    emitter.emit('SIGTERM');
    await settle();
    expect(log.lines[0]).toMatchObject({ fields: { event: 'other_signal_listeners', others: 1 } });
    emitter.off('SIGTERM', framework);
    emitter.emit('SIGTERM');
    expect(exits).toEqual([]);
    expect(log.lines.at(-1)?.fields['event']).toBe('signal_raised_again');
    emitter.emit('SIGTERM');
    expect(exits).toEqual([143]);
  });

  it('D2: a listener for one call has left by itself and hides no second signal', async () => {
    const { emitter, exits, settle } = setUp(neverEnding);
    emitter.once('SIGTERM', () => {});
    emitter.emit('SIGTERM');
    await settle();
    emitter.emit('SIGTERM');
    expect(exits).toEqual([143]);
  });

  it('D2: a second signal with the listeners of others still there is a second signal', async () => {
    const { emitter, exits, settle } = setUp(neverEnding);
    emitter.on('SIGINT', () => {});
    emitter.emit('SIGINT');
    await settle();
    emitter.emit('SIGINT');
    expect(exits).toEqual([130]);
  });

  it('D2: whoever else ends the process during the drain is reported with what was open', () => {
    const { emitter, log } = setUp(neverEnding);
    emitter.emit('SIGTERM');
    emitter.emit('exit', 7);
    expect(log.lines.at(-1)).toMatchObject({
      level: 'error',
      fields: { event: 'exit_during_drain', code: 7, open: ['hook "database" (running)'] },
    });
    const quiet = setUp();
    quiet.emitter.emit('exit', 0);
    expect(quiet.log.lines).toEqual([]);
  });
});

const hostile = {
  get message(): string {
    throw new Error('unreadable');
  },
};

const neverEnding = {
  drain: {
    begin: () => new Promise<DrainResult>(() => {}),
    crash: () => new Promise<DrainResult>(() => {}),
    underWay: true,
  },
};
