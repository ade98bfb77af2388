import { expect } from 'vitest';
import type { WorkerAdapter, WorkerContext } from '../../src/core/worker.js';
import { createHealth } from '../../src/create-health.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from '../engine/support.js';

/** A consumer that writes down what it is told, with the time. */
export function fakeAdapter(now: () => number) {
  const seen: string[] = [];
  const mark = (what: string) => void seen.push(`${what} at ${now()}`);
  const state = { jobs: [] as string[], resumeFails: false, idle: () => {} };
  let context: WorkerContext | undefined;
  const adapter: WorkerAdapter = {
    start: (given) => void (context = given),
    pause: () => mark('pause'),
    resume() {
      mark('resume');
      return state.resumeFails ? Promise.reject(new Error('broker away')) : undefined;
    },
    active: () => state.jobs,
    whenIdle: () =>
      state.jobs.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => void (state.idle = resolve)),
    giveBack: () => mark('give back'),
    close: () => mark('close'),
  };
  return { adapter, seen, state, context: () => context as WorkerContext };
}

/** A health object on a manual clock, with a database that can be down. */
export function setUp() {
  const clock = createManualClock();
  const log = createLog();
  const database = { up: true };
  const startedAt = clock.now();
  const since = () => clock.now() - startedAt;
  const health = createHealth({
    clock,
    random: () => 0.5,
    logger: log.logger,
    env: {},
    isolation: 'inline',
    probes: false,
    diagnostic: false,
    signals: false,
    checks: {
      database: () => {
        if (!database.up) throw new Error('down');
      },
    },
  });
  const events = (event: string) => log.lines.filter(({ fields }) => fields['event'] === event);
  return { clock, health, database, log, events, since, ...fakeAdapter(since) };
}

/** The same, started and ready. */
export async function started() {
  const set = setUp();
  await set.health.start();
  await set.clock.advance(1000);
  expect(set.health.report().readiness.status).toBe('pass');
  return set;
}
