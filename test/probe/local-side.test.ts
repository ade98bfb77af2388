import { describe, expect, it } from 'vitest';
import type { AnswerCounts } from '../../src/core/answering-figures.js';
import { createBoard } from '../../src/core/board.js';
import type { Clock, Timer } from '../../src/core/clock.js';
import type { ProbeState } from '../../src/core/probe-state.js';
import type { ProbeResponse } from '../../src/probe/prepared.js';
import { createLocalSide } from '../../src/probe/local-side.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { startedState } from '../core/probe-state-builders.js';
import { createLog } from '../engine/support.js';
import { probeOptions } from '../support/probing.js';

/** A clock of the application's own, whose methods need their object. */
class OwnClock implements Clock {
  readonly #clock: Clock;
  constructor(clock: Clock) {
    this.#clock = clock;
  }
  now(): number {
    return this.#clock.now();
  }
  wallNow(): number {
    return this.#clock.wallNow();
  }
  setTimeout(...given: Parameters<Clock['setTimeout']>): Timer {
    return this.#clock.setTimeout(...given);
  }
}

function setUp(state: ProbeState = startedState(), stateOf = () => state) {
  const clock = createManualClock();
  const board = createBoard();
  board.setPhase('running');
  board.setEvaluatedAt(clock.now());
  const log = createLog();
  const errors: unknown[] = [];
  const told: AnswerCounts[] = [];
  const world = { evaluations: 0, fails: false };
  const side = createLocalSide({
    options: probeOptions(),
    board,
    clock: new OwnClock(clock),
    logger: log.logger,
    state: stateOf,
    onAnswers: (counts) => told.push(counts),
    events: {
      async evaluate() {
        world.evaluations += 1;
      },
      onError: (error) => errors.push(error),
    },
  });
  const ask = async (url: string, method = 'GET'): Promise<ProbeResponse> =>
    side.handler.handle({ method, url });
  return { clock, board, log, errors, world, told, side, ask };
}

describe('probes answered on the main loop beside a probe thread', () => {
  it('E5: answers what was published before the first request, and each change after it', async () => {
    const { side, ask, board } = setUp();
    expect(await ask('/readyz')).toMatchObject({
      status: 200,
      body: '{"status":"pass","reason":"ok"}',
    });
    side.apply({ state: { gates: { leaseLost: false, maintenance: true, atCapacity: false } } });
    expect(await ask('/readyz')).toMatchObject({ status: 503 });
    expect((await ask('/readyz')).body).toContain('"maintenance"');
    side.apply({ state: { gates: { leaseLost: false, maintenance: false, atCapacity: false } } });
    board.setPhase('draining');
    expect((await ask('/readyz')).body).toContain('"draining"');
    expect((await ask('/livez')).status).toBe(200);
    expect((await ask('/nothing')).status).toBe(404);
    expect((await ask('/livez', 'POST')).status).toBe(405);
    await side.close();
  });

  it('costs nothing before the first request, and leaves no timer behind', async () => {
    const { clock, side, ask } = setUp();
    expect(clock.pendingTimers).toBe(0);
    await ask('/livez');
    expect(clock.pendingTimers).toBe(2);
    await side.close();
    expect(clock.pendingTimers).toBe(0);
    await ask('/livez');
    expect(clock.pendingTimers).toBe(0);
  });

  it('O1: a thousand probes in a second are told of once, with their number and time', async () => {
    const { clock, side, ask, told } = setUp();
    for (let index = 0; index < 1000; index += 1) await ask(`/livez?${index}`);
    await clock.advance(1000);
    const labels = { probe: 'liveness', reason: 'ok', status: '200' };
    expect(told).toHaveLength(1);
    expect(told[0]?.answers).toContainEqual([labels, 1000]);
    expect(new Map(told[0]?.handled).get('liveness')?.counts.at(0)).toBe(1000);
    await clock.advance(10_000);
    expect(told).toHaveLength(1);
    await ask('/livez');
    await side.close();
    await ask('/livez');
    await clock.advance(10_000);
    expect(told).toHaveLength(1);
  });

  it('O1: a probe thread that was started again is told what was answered since, from 0 upward', async () => {
    const { clock, side, ask, told } = setUp();
    const labels = { probe: 'liveness', reason: 'ok', status: '200' };
    const last = () => ({
      count: told.at(-1)?.answers.find(([{ probe }]) => probe === 'liveness')?.[1],
      handled: told.at(-1)?.handled.find(([probe]) => probe === 'liveness')?.[1],
    });
    side.countAnew();
    expect(told).toHaveLength(0);
    for (let index = 0; index < 600; index += 1) await ask('/livez');
    await clock.advance(1000);
    expect(last().count).toBe(600);
    side.countAnew();
    expect(told.at(-1)?.answers).toContainEqual([labels, 0]);
    expect(last().handled?.sum).toBe(0);
    expect(last().handled?.counts.every((count) => count === 0)).toBe(true);
    for (let index = 0; index < 5; index += 1) await ask('/livez');
    await clock.advance(1000);
    expect(last().count).toBe(5);
    expect(last().handled?.counts[0]).toBe(5);
    side.countAnew();
    await ask('/livez');
    await clock.advance(1000);
    expect(last().count).toBe(1);
    await side.close();
  });

  it('O1: an answer that waited for on-demand checks is told of', async () => {
    const { clock, side, ask, told } = setUp({ ...startedState(), onDemand: true });
    await ask('/readyz');
    await clock.advance(1000);
    const labels = { probe: 'readiness', reason: 'ok', status: '200' };
    expect(told[0]?.answers).toContainEqual([labels, 1]);
    await side.close();
  });

  it('L4, L7: sees a part of the program stand still, and logs it before the first 503', async () => {
    const state = {
      ...startedState(),
      progress: [{ slot: 0, name: 'import', stallAfterMs: 2000 }],
    };
    const { clock, board, log, side, ask } = setUp(state);
    board.beatProgress(0, clock.now());
    expect((await ask('/livez')).status).toBe(200);
    await clock.advance(2500);
    expect(log.lines.map(({ fields }) => fields)).toContainEqual({
      event: 'liveness_failed',
      reason: 'progress_stalled:import',
    });
    expect((await ask('/livez')).body).toContain('progress_stalled:import');
    await side.close();
  });

  it('L9: does not take the late beats of a loop it runs on for a stall', async () => {
    const { clock, side, ask } = setUp();
    await ask('/livez');
    await clock.advance(60_000);
    expect((await ask('/livez')).status).toBe(200);
    await side.close();
  });

  it('C6: asks for on-demand checks before readiness, and not for liveness', async () => {
    const { side, ask, world } = setUp({ ...startedState(), onDemand: true });
    await ask('/livez');
    expect(world.evaluations).toBe(0);
    await Promise.all([ask('/readyz'), ask('/readyz')]);
    expect(world.evaluations).toBe(1);
    await side.close();
  });

  it('is told of its own errors, also of one that keeps it from waking, and answers 500', async () => {
    const broken = new Error('a bug of its own');
    let works = false;
    const { side, ask, errors } = setUp(startedState(), () => {
      if (works) return startedState();
      throw broken;
    });
    expect(await ask('/livez')).toMatchObject({ status: 500 });
    expect(errors).toEqual([broken]);
    works = true;
    expect((await ask('/livez')).status).toBe(200);
    await side.close();
  });

  it('R3: once closed, lets readiness turn stale instead of keeping the last good answer', async () => {
    const { clock, side, ask } = setUp();
    expect((await ask('/readyz')).status).toBe(200);
    await side.close();
    await clock.advance(60_000);
    expect(await ask('/readyz')).toMatchObject({
      status: 503,
      body: expect.stringContaining('"stale"') as string,
    });
    expect((await ask('/livez')).status).toBe(200);
  });
});
