import { describe, expect, it } from 'vitest';
import type { WorkerOptions } from '../../src/core/worker.js';
import { createHealth } from '../../src/create-health.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from '../engine/support.js';
import { fakeAdapter, setUp, started } from './support.js';

describe('a worker', () => {
  it('D4: takes no job while starting, and begins once the instance is ready', async () => {
    const { health, adapter, clock, seen } = setUp();
    const task = health.startupTask('prices');
    const handle = health.worker('orders', adapter);
    await health.start();
    await clock.advance(5000);
    expect([...seen, handle.consuming]).toEqual(['pause at 0', false]);
    task.done();
    await clock.advance(1);
    expect(handle.consuming).toBe(true);
    expect(seen).toHaveLength(2);
    await health.dispose();
  });

  it('D4: pauses while a critical dependency is down and resumes after the jitter', async () => {
    const { health, adapter, clock, database, seen, events, since } = await started();
    const handle = health.worker('orders', adapter, { resumeJitterMs: 2000 });
    expect(handle.consuming).toBe(true);
    database.up = false;
    await clock.advance(15_000);
    expect(health.report().readiness.reason).toBe('check_failed:database');
    expect(handle.consuming).toBe(false);
    expect(seen.at(-1)).toMatch(/^pause/);
    expect(events('worker_paused')[0]?.fields).toMatchObject({ reason: 'check_failed:database' });
    database.up = true;
    while (health.report().readiness.status === 'fail') await clock.advance(10);
    const readyAt = since();
    await clock.advance(900);
    expect(handle.consuming).toBe(false);
    await clock.advance(110);
    expect(handle.consuming).toBe(true);
    expect(Number(seen.at(-1)?.split(' ').at(-1)) - readyAt).toBeGreaterThanOrEqual(990);
    await health.dispose();
  });

  it('D4: a resume that is planned does not happen once it must not; maintenance pauses at once', async () => {
    const { health, adapter, clock, seen } = await started();
    const handle = health.worker('orders', adapter);
    health.maintenance(true);
    expect(handle.consuming).toBe(false);
    health.maintenance(false);
    await clock.advance(500);
    health.maintenance(true);
    await clock.advance(10_000);
    expect(handle.consuming).toBe(false);
    expect(seen.filter((line) => line.startsWith('resume'))).toHaveLength(1);
    await health.dispose();
  });

  it('R8: goes on at the ceiling of requests: jobs have a limit of their own', async () => {
    const clock = createManualClock();
    const health = createHealth({
      clock,
      logger: createLog().logger,
      env: {},
      isolation: 'inline',
      probes: false,
      diagnostic: false,
      signals: false,
      capacity: { leaveAt: 2 },
    });
    await health.start();
    await clock.advance(10);
    const handle = health.worker('orders', fakeAdapter(() => 0).adapter);
    for (let count = 0; count < 3; count += 1) health.working('request');
    await clock.advance(5000);
    expect(health.report().readiness.reason).toBe('at_capacity');
    expect(handle.consuming).toBe(true);
    await health.dispose();
  });

  it('D1, D4: pauses in the turn of the signal, waits for its jobs, then closes', async () => {
    const { health, adapter, clock, seen, state, since } = await started();
    health.worker('orders', adapter);
    state.jobs = ['mail 7'];
    const begun = since();
    const drained = health.shutdown('SIGTERM');
    expect(seen.at(-1)).toBe(`pause at ${begun}`);
    await clock.advance(5000);
    expect(seen.at(-1)).toMatch(/^pause/);
    state.jobs = [];
    state.idle();
    await clock.advance(0);
    expect(seen.at(-1)).toBe(`close at ${begun + 5000}`);
    expect(await drained).toMatchObject({ exitCode: 0 });
    await health.dispose();
  });

  it('D2, D4: gives jobs back shortly before the deadline, names them, and ends with 0', async () => {
    const { health, adapter, clock, seen, state, events, since } = await started();
    health.worker('orders', adapter, { giveBackMs: 3000 });
    state.jobs = ['mail 7', 'mail 8'];
    const begun = since();
    const drained = health.shutdown();
    await clock.advance(21_999);
    expect(seen.at(-1)).toMatch(/^pause/);
    await clock.advance(1);
    expect(seen.slice(-2)).toEqual([
      `give back at ${begun + 22_000}`,
      `close at ${begun + 22_000}`,
    ]);
    expect(events('worker_jobs_given_back')[0]?.fields['jobs']).toEqual(['mail 7', 'mail 8']);
    expect(await drained).toMatchObject({ exitCode: 0 });
    await health.dispose();
  });

  it('D2: names the jobs that neither ended nor could be given back, and ends with 1', async () => {
    const { health, adapter, clock, state } = await started();
    const { giveBack: _none, ...rest } = adapter;
    health.worker('orders', rest);
    state.jobs = ['mail 7'];
    const drained = health.shutdown();
    await clock.advance(25_000);
    const { exitCode, steps } = await drained;
    expect(exitCode).toBe(1);
    expect(steps.find(({ step }) => step === 'consumers')).toMatchObject({
      ended: 'cut',
      open: ['job mail 7 of worker "orders"'],
    });
    await health.dispose();
  });

  it('case 32: tries again after a growing pause while consumption fails', async () => {
    const { health, adapter, clock, seen, state, events } = await started();
    state.resumeFails = true;
    health.worker('orders', adapter);
    await clock.advance(3000);
    const tries = seen.filter((line) => line.startsWith('resume')).length;
    expect(tries).toBe(4);
    expect(events('worker_lost').map(({ fields }) => fields['retryAfterMs'])).toEqual([
      375, 750, 1500, 3000,
    ]);
    state.resumeFails = false;
    await clock.advance(3000);
    expect(events('worker_lost')).toHaveLength(4);
    await health.dispose();
    expect(clock.pendingTimers).toBe(0);
  });

  it('takes out what is done with, and refuses wrong options by name', async () => {
    const { health, adapter, clock } = await started();
    const handle = health.worker('orders', adapter);
    handle.done();
    expect(handle.consuming).toBe(false);
    health.maintenance(true);
    health.maintenance(false);
    await clock.advance(5000);
    expect(handle.consuming).toBe(false);
    const add = (options: WorkerOptions) => () => health.worker('orders', adapter, options);
    expect(add({ stallAfterMs: 1000 })).toThrow('worker.orders.backlog');
    expect(add({ resumeJitterMs: -1 })).toThrow('worker.orders.resumeJitterMs');
    await health.dispose();
  });

  it('D4, R2: an adapter that cannot name its jobs stops neither the next worker nor the schedule', async () => {
    const { health, clock, database, events } = await started();
    const broken = fakeAdapter(() => 0).adapter;
    broken.active = () => {
      throw new Error('no list of jobs');
    };
    health.worker('broken', broken);
    const next = health.worker('next', fakeAdapter(() => 0).adapter);
    database.up = false;
    await clock.advance(30_000);
    expect(next.consuming).toBe(false);
    expect(health.report().readiness.reasons).toEqual(['check_failed:database']);
    expect(events('worker_pause_failed')).toHaveLength(1);
    void health.shutdown('test');
    expect(health.report().readiness.reason).toBe('draining');
    await clock.advance(30_000);
    await health.dispose();
  });

  it('L4: one that cannot start, or a bad option, leaves no watch that would fail liveness', async () => {
    const { health, clock } = await started();
    const backlog = () => 5;
    const { adapter } = fakeAdapter(() => 0);
    adapter.start = () => {
      throw new Error('no broker');
    };
    const add = () => health.worker('orders', adapter, { backlog, stallAfterMs: 1000 });
    expect(add).toThrow('no broker');
    const queue = { backlog, stallAfterMs: 1000, everyMs: 0 };
    expect(() => health.queueProgress('orders', queue)).toThrow('queueProgress.orders.everyMs');
    expect(() => health.queueProgress('orders', { backlog, stallAfterMs: 1 })).toThrow(
      'queueProgress.orders.stallAfterMs',
    );
    await clock.advance(60_000);
    expect((await health.handle({ url: '/livez' })).status).toBe(200);
    await health.dispose();
    expect(clock.pendingTimers).toBe(0);
  });

  it('O4, C4: an asynchronous listener or start of a check that fails is logged, not left unhandled', async () => {
    const { health, clock, events } = await started();
    health.onChange(() => Promise.reject(new Error('no webhook')));
    health.maintenance(true);
    health.addCheck('late', {
      start: () => Promise.reject(new Error('no sampler')) as never,
      run() {},
    });
    await clock.advance(1);
    expect(events('listener_error')[0]?.fields).toMatchObject({ output: 'no webhook' });
    expect(events('internal_error')[0]?.fields).toMatchObject({ output: 'no sampler' });
    await health.dispose();
    await expect(health.untilReady()).rejects.toMatchObject({ code: 'HALE_DISPOSED' });
  });

  it('L5: fatal takes the error itself, as JavaScript hands it over', async () => {
    const { health } = await started();
    health.fatal(new Error('negative stock') as never);
    expect(health.report().liveness.reason).toBe('fatal');
    await health.dispose();
  });
});

describe('a queue watched by its jobs', () => {
  const liveness = async (health: ReturnType<typeof createHealth>) => {
    const { status, body } = await health.handle({ url: '/livez' });
    return `${status} ${(JSON.parse(body) as { reason: string }).reason}`;
  };

  it('L4, case 32: silent with a full queue is stalled, with an empty one it is idle', async () => {
    const { health, clock } = await started();
    let waiting = 0;
    const queue = health.queueProgress('orders', { backlog: () => waiting, stallAfterMs: 60_000 });
    await clock.advance(600_000);
    expect(await liveness(health)).toBe('200 ok');
    waiting = 5;
    await clock.advance(70_000);
    queue.jobEnded();
    await clock.advance(50_000);
    expect(await liveness(health)).toBe('200 ok');
    await clock.advance(26_000);
    expect(await liveness(health)).toBe('503 progress_stalled:orders');
    queue.jobEnded();
    await clock.advance(200);
    expect(await liveness(health)).toBe('200 ok');
    queue.done();
    await clock.advance(600_000);
    expect(await liveness(health)).toBe('200 ok');
    await health.dispose();
    expect(clock.pendingTimers).toBe(0);
  });

  it('L2, L6: a backlog that cannot be read, or never answers, does not fail liveness', async () => {
    const { health, clock, events } = await started();
    let read = async (): Promise<number> => 5;
    health.queueProgress('orders', { backlog: () => read(), stallAfterMs: 10_000 });
    await clock.advance(5000);
    read = () => Promise.reject(new Error('broker away'));
    await clock.advance(120_000);
    expect(await liveness(health)).toBe('200 ok');
    read = () => new Promise(() => {});
    await clock.advance(120_000);
    expect(await liveness(health)).toBe('200 ok');
    expect(events('backlog').map(({ fields }) => fields['known'])).toEqual([false]);
    read = async () => 5;
    await clock.advance(20_000);
    expect(await liveness(health)).toBe('503 progress_stalled:orders');
    await health.dispose();
  });

  it('D4, L6: a worker that is told to pause is not stalled, however full its queue', async () => {
    const { health, clock, adapter, context } = await started();
    health.worker('orders', adapter, { backlog: () => 9, stallAfterMs: 10_000 });
    await clock.advance(2600);
    context().jobEnded();
    health.maintenance(true);
    await clock.advance(60_000);
    expect(await liveness(health)).toBe('200 ok');
    health.maintenance(false);
    await clock.advance(20_000);
    expect(await liveness(health)).toBe('503 progress_stalled:orders');
    await health.dispose();
  });
});
