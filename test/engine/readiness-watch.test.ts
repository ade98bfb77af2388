import { describe, expect, it } from 'vitest';
import { type Decision, decide } from '../../src/core/decision.js';
import { isHaleError } from '../../src/core/errors.js';
import { type ReadinessChange, createReadinessWatch } from '../../src/engine/readiness-watch.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from './support.js';

const READY = decide([], []);
const STARTING = decide(['starting'], []);
const DEGRADED = decide([], ['check_degraded:mail']);
const FAILED = decide(['check_failed:database'], []);
const DRAINING = decide(['draining'], []);

function setUp() {
  const clock = createManualClock();
  const log = createLog();
  const changes: ReadinessChange[] = [];
  let decision: Decision = STARTING;
  const watch = createReadinessWatch({
    clock,
    logger: log.logger,
    decide: () => decision,
    context: () => ({ inFlight: 3 }),
    onChange: (change) => void changes.push(change),
  });
  const become = (next: Decision): void => {
    decision = next;
    watch.look();
  };
  return { clock, log, changes, watch, become };
}

/** What a promise has come to by now. */
async function stateOf(promise: Promise<void>): Promise<string> {
  const pending = new Promise<string>((resolve) => {
    setImmediate(() => resolve('pending'));
  });
  const settled = promise.then(
    () => 'resolved',
    (error: unknown) => (isHaleError(error) ? error.code : 'another error'),
  );
  return Promise.race([settled, pending]);
}

describe('readiness watch', () => {
  it('S4: a process that waits to get ready lives, and may end once nobody waits', async () => {
    const { clock, watch, become } = setUp();
    const waiting = watch.untilReady();
    const gaveUp = new AbortController();
    const stopped = watch.untilReady(gaveUp.signal);
    expect(clock.pendingHolds).toBe(1);
    gaveUp.abort();
    expect(await stateOf(stopped)).toBe('HALE_ABORTED');
    expect(clock.pendingHolds).toBe(1);
    become(READY);
    expect(await stateOf(waiting)).toBe('resolved');
    expect(clock.pendingHolds).toBe(0);
  });

  it('O2: tells and logs a change once, with what was before and for how long', async () => {
    const { clock, log, changes, become } = setUp();
    await clock.advance(2500);
    become(READY);
    become(READY);
    expect(changes).toStrictEqual([
      {
        from: { status: 'fail', reason: 'starting' },
        to: { status: 'pass', reason: 'ok' },
        at: clock.wallNow(),
        lastedMs: 2500,
      },
    ]);
    expect(log.lines).toMatchObject([
      {
        level: 'info',
        fields: {
          event: 'readiness',
          reason: 'ok',
          previous: 'starting',
          lastedMs: 2500,
          inFlight: 3,
        },
      },
    ]);
  });

  it('O2: a failure and a warning are warnings, a drain is not', () => {
    const { log, become } = setUp();
    for (const decision of [FAILED, DEGRADED, DRAINING]) become(decision);
    expect(log.lines.map(({ level }) => level)).toStrictEqual(['warn', 'warn', 'info']);
  });

  it('O2: another reason of the same status is a change too', () => {
    const { changes, become } = setUp();
    become(FAILED);
    expect(changes.map(({ to }) => to.reason)).toStrictEqual(['check_failed:database']);
  });

  it('D4: work waits until readiness passes, or warns', async () => {
    const { watch, become } = setUp();
    const first = watch.untilReady();
    expect(await stateOf(first)).toBe('pending');
    become(DEGRADED);
    expect(await stateOf(first)).toBe('resolved');
    expect(await stateOf(watch.untilReady())).toBe('resolved');
  });

  it('D4: waiting ends with the signal, before and while it waits, and leaves no listener behind', async () => {
    const { watch, become } = setUp();
    const controller = new AbortController();
    const waiting = watch.untilReady(controller.signal);
    controller.abort();
    expect(await stateOf(waiting)).toBe('HALE_ABORTED');
    expect(await stateOf(watch.untilReady(controller.signal))).toBe('HALE_ABORTED');
    become(READY);
    expect(await stateOf(waiting)).toBe('HALE_ABORTED');
  });

  it.each([
    ['draining', DRAINING],
    ['stopped', decide(['stopped'], [])],
    ['fatal', decide(['fatal'], [])],
  ])('D4: nobody waits for a process that will not get ready again: %s', async (_reason, end) => {
    const { watch, become } = setUp();
    const waiting = watch.untilReady();
    become(end);
    expect(await stateOf(waiting)).toBe('HALE_STATE');
    expect(await stateOf(watch.untilReady())).toBe('HALE_STATE');
  });

  it('rejects whoever waits when it is disposed', async () => {
    const { watch } = setUp();
    const waiting = watch.untilReady();
    watch.dispose();
    expect(await stateOf(waiting)).toBe('HALE_DISPOSED');
  });
});
