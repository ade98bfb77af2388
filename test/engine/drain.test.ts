import { describe, expect, it } from 'vitest';
import { createBoard } from '../../src/core/board.js';
import { createDrainHooks } from '../../src/engine/drain-hooks.js';
import { type DrainResult, type DrainStep, createDrain } from '../../src/engine/drain.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from './support.js';

function setUp({ inFlightMs = 0, delayMs = 10_000, asksAgain = false, openThrows = false } = {}) {
  const clock = createManualClock();
  const board = createBoard();
  board.setPhase('running');
  const log = createLog();
  const hooks = createDrainHooks({ logger: log.logger, redact: (text) => text });
  const seen: string[] = [];
  const mark = (what: string) => void seen.push(`${what} at ${clock.now() - 1000}`);
  const hookStep = (stage: 'consumers' | 'closers' | 'lease_release'): DrainStep => ({
    run: (signal) => hooks.run(stage, signal),
    open: () => hooks.open(stage),
    cut: () => mark(`cut ${stage}`),
  });
  const asked: Promise<DrainResult>[] = [];
  const drain = createDrain({
    clock,
    board,
    logger: log.logger,
    propagationDelayMs: () => delayMs,
    deadlineMs: 25_000,
    crashDeadlineMs: 5000,
    hasHooks: () => hooks.size > 0,
    onBegin() {
      mark(`begin ${board.phase()}`);
      if (asksAgain) asked.push(drain.begin('again'));
    },
    steps: {
      stop_accepting: { run: async () => {}, open: () => [], cut() {} },
      in_flight: {
        run: () => {
          mark('closing');
          return new Promise((resolve) => void clock.setTimeout(resolve, inFlightMs));
        },
        open() {
          if (openThrows) throw new Error('cannot be named');
          return ['GET /slow for 12.0 s'];
        },
        cut: () => mark('cut in_flight'),
      },
      consumers: hookStep('consumers'),
      closers: hookStep('closers'),
      lease_release: hookStep('lease_release'),
    },
  });
  return { clock, board, log, hooks, drain, seen, mark, asked };
}

describe('drain', () => {
  it('D1: readiness off at once, serving through the delay, then work, hooks in order, exit code 0', async () => {
    const { clock, board, hooks, drain, seen, mark, log } = setUp({ inFlightMs: 3000 });
    hooks.add('database', () => mark('database'));
    hooks.add('queue', async () => mark('queue'));
    hooks.add('lease', () => mark('lease'), { stage: 'lease_release' });
    hooks.add('consumer', () => mark('consumer'), { stage: 'consumers' });
    const result = drain.begin('SIGTERM');
    expect([board.phase(), ...seen]).toEqual(['draining', 'begin draining at 0']);
    await clock.advance(9999);
    expect(seen).toHaveLength(1);
    await clock.advance(3001);
    expect(seen.slice(1)).toEqual([
      'closing at 10000',
      'consumer at 13000',
      'queue at 13000',
      'database at 13000',
      'lease at 13000',
    ]);
    expect(await result).toMatchObject({ reason: 'SIGTERM', exitCode: 0, durationMs: 13_000 });
    expect(board.phase()).toBe('stopped');
    expect(clock.pendingTimers).toBe(0);
    expect(
      log.lines
        .filter(({ fields }) => fields['event'] === 'drain_step')
        .map(({ fields }) => [fields['step'], fields['durationMs']]),
    ).toEqual([
      ['propagation', 10_000],
      ['stop_accepting', 0],
      ['in_flight', 3000],
      ['consumers', 0],
      ['closers', 0],
      ['lease_release', 0],
    ]);
  });

  it('D1: who is told of its beginning may ask for a drain in turn, and gets the same one', async () => {
    const { clock, drain, log, asked } = setUp({ delayMs: 0, asksAgain: true });
    const first = drain.begin('SIGTERM');
    await clock.advance(10);
    expect(asked).toHaveLength(1);
    expect(await asked[0]).toBe(await first);
    expect(log.lines.filter(({ fields }) => fields['event'] === 'drain_begin')).toHaveLength(1);
  });

  it('D2: a hook that cannot say what it waits for is named itself, and the drain still ends', async () => {
    const { clock, hooks, drain } = setUp({ delayMs: 0 });
    const open = () => {
      throw new Error('gone');
    };
    hooks.add('database', () => new Promise(() => {}), { open });
    const result = drain.begin('SIGTERM');
    await clock.advance(26_000);
    const closers = (await result).steps.find(({ step }) => step === 'closers');
    expect(closers).toMatchObject({ ended: 'cut', open: ['hook "database" (running)'] });
  });

  it('D2: a step that cannot say what is open is cut all the same, and the drain ends', async () => {
    const { clock, drain, log } = setUp({ delayMs: 0, inFlightMs: 60_000, openThrows: true });
    const result = drain.begin('SIGTERM');
    await clock.advance(26_000);
    expect((await result).exitCode).toBe(1);
    const failures = log.lines.filter(({ fields }) => fields['event'] === 'drain_step_failed');
    expect(failures).toHaveLength(1);
  });

  it('D2: a delay beyond half of the deadline is cut, and the log says what it is', async () => {
    const { drain, log } = setUp({ delayMs: 20_000 });
    void drain.begin('SIGTERM');
    expect(log.lines[0]?.fields).toMatchObject({ propagationDelayMs: 12_500 });
  });

  it('a hook with a stage nobody runs, or that is no function, is refused', () => {
    const { hooks } = setUp();
    expect(() => hooks.add('queue', () => {}, { stage: 'closer' as 'closers' })).toThrow(
      'onShutdown.queue.stage must be one of "consumers", "closers", "lease_release", got "closer"',
    );
    expect(() => hooks.add('queue', 'close' as never)).toThrow(/must be a function, got "close"/);
  });

  it('D1: begins once; everyone who asks gets the same drain', async () => {
    const { clock, drain, seen } = setUp({ delayMs: 0 });
    const first = drain.begin('SIGTERM');
    expect(drain.begin('again')).toBe(first);
    await clock.advance(1);
    expect((await first).reason).toBe('SIGTERM');
    expect(seen.filter((line) => line.startsWith('begin'))).toHaveLength(1);
  });

  it('D2: the timer of each step keeps the process alive', async () => {
    const { clock, drain } = setUp({ inFlightMs: 1000 });
    const result = drain.begin('SIGTERM');
    await clock.advance(5000);
    expect(clock.pendingHolds).toBe(1);
    await clock.advance(5500);
    expect(clock.pendingHolds).toBe(1);
    await clock.advance(1000);
    await result;
    expect(clock.pendingHolds).toBe(0);
  });

  it('D2: work still open when its time is up is named and cut, and hooks still get their share', async () => {
    const { clock, drain, hooks, seen, mark, log } = setUp({ inFlightMs: 60_000 });
    hooks.add('database', () => mark('database'));
    const result = drain.begin('SIGTERM');
    await clock.advance(25_000);
    expect(seen.slice(1)).toEqual([
      'closing at 10000',
      'cut in_flight at 22000',
      'database at 22000',
    ]);
    expect(await result).toMatchObject({ exitCode: 1, durationMs: 22_000 });
    const cut = log.lines.find(({ level }) => level === 'warn');
    expect(cut).toMatchObject({
      fields: { step: 'in_flight', ended: 'cut' },
      message: 'drain: in_flight cut, still open: GET /slow for 12.0 s',
    });
  });

  it('D2: a hung hook is told, named and left behind at the deadline', async () => {
    const { clock, drain, hooks, log, mark, seen } = setUp({ delayMs: 0 });
    hooks.add('database', () => mark('database'));
    hooks.add('queue', (signal) => {
      signal.addEventListener('abort', () => mark('queue told'));
      return new Promise(() => {});
    });
    const result = drain.begin('SIGTERM');
    await clock.advance(25_000);
    expect(await result).toMatchObject({ exitCode: 1, durationMs: 25_000 });
    expect(seen).toContain('queue told at 25000');
    expect(seen).not.toContain('database at 25000');
    expect(log.lines.find(({ level }) => level === 'warn')?.fields['open']).toEqual([
      'hook "database" (waiting)',
      'hook "queue" (running)',
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('D1, D6: a hook that throws is logged, the others run, the exit code is 1', async () => {
    const { clock, drain, hooks, seen, mark, log } = setUp({ delayMs: 0 });
    hooks.add('database', () => mark('database'));
    hooks.add('queue', () => {
      throw new Error('channel closed');
    });
    const result = drain.begin('SIGTERM');
    await clock.advance(10);
    expect((await result).exitCode).toBe(1);
    expect(seen.at(-1)).toBe('database at 1');
    expect(
      log.lines.some(
        ({ fields }) => fields['hook'] === 'queue' && fields['output'] === 'channel closed',
      ),
    ).toBe(true);
  });

  it('D1: independent hooks close side by side, and a removed one not at all', async () => {
    const { clock, drain, hooks } = setUp({ delayMs: 0 });
    const takes = (ms: number) => () =>
      new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
    hooks.add('a', takes(2000), { independent: true });
    hooks.add('b', takes(2000), { independent: true });
    const remove = hooks.add('c', takes(20_000));
    remove();
    const result = drain.begin('SIGTERM');
    await clock.advance(2001);
    expect(await result).toMatchObject({ exitCode: 0, durationMs: 2001 });
  });

  it('D5: a crash drains without delay, by the short deadline, with exit code 1', async () => {
    const { clock, drain, board } = setUp({ inFlightMs: 60_000 });
    const result = drain.crash('uncaughtException');
    expect(board.phase()).toBe('draining');
    await clock.advance(5000);
    expect(await result).toMatchObject({
      reason: 'uncaughtException',
      exitCode: 1,
      durationMs: 5000,
    });
  });

  it('D5: a crash during the propagation delay ends it and shortens the rest', async () => {
    const { clock, drain, seen } = setUp({ inFlightMs: 60_000 });
    const result = drain.begin('SIGTERM');
    await clock.advance(4000);
    expect(drain.crash('uncaughtException')).toBe(result);
    await clock.advance(5000);
    expect(seen.slice(1)).toEqual(['closing at 4001', 'cut in_flight at 9000']);
    expect(await result).toMatchObject({ exitCode: 1, durationMs: 9000 });
  });
});
