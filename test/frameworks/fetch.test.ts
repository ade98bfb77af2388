import { describe, expect, it } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import { coldStartGuard, fetchHandler } from '../../src/frameworks/fetch.js';
import { onDemandPreset } from '../../src/presets/index.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from '../engine/support.js';

function setUp() {
  const clock = createManualClock();
  let runs = 0;
  const database = { up: true };
  const health = createHealth({
    ...onDemandPreset,
    clock,
    env: {},
    logger: createLog().logger,
    checks: {
      database: () => {
        runs += 1;
        if (!database.up) throw new Error('down');
      },
    },
  });
  return { clock, health, database, runs: () => runs };
}
const get = (path: string, method = 'GET') =>
  new Request(`https://function.example${path}`, { method });

describe('a fetch-style handler on demand', () => {
  it('C6, S4: starts with the first request, checks when probed, and leaves no timer behind', async () => {
    const { clock, health, runs } = setUp();
    const probes = fetchHandler(health);
    expect((await probes(get('/livez'))).status).toBe(200);
    await clock.advance(1);
    expect(runs()).toBe(0);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => probes(get('/readyz?x=1'))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(runs()).toBe(1);
    expect(answers[0]?.headers.get('content-type')).toBe('application/health+json');
    expect(await answers[0]?.json()).toMatchObject({ status: 'pass' });
    expect(clock.pendingTimers).toBe(0);
    await health.dispose();
  });

  it('R3: after a freeze of an hour the next probe checks again instead of answering stale', async () => {
    const { clock, health, database, runs } = setUp();
    const probes = fetchHandler(health);
    await probes(get('/readyz'));
    await clock.advance(3_600_000);
    expect((await probes(get('/readyz'))).status).toBe(200);
    expect(runs()).toBe(2);
    database.up = false;
    await clock.advance(3_600_000);
    for (let probe = 0; probe < 3; probe += 1) {
      await probes(get('/readyz'));
      await clock.advance(1100);
    }
    const answer = await probes(get('/readyz'));
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { reason: 'check_failed:database' },
    ]);
    await health.dispose();
  });

  it('E2: HEAD has no body, other methods are 405, other paths 404', async () => {
    const { health } = setUp();
    const probes = fetchHandler(health);
    expect(await (await probes(get('/livez', 'HEAD'))).text()).toBe('');
    expect((await probes(get('/livez', 'POST'))).status).toBe(405);
    expect((await probes(get('/orders'))).status).toBe(404);
    await health.dispose();
  });

  it('T7: requests of a cold start wait for start-up, and those that would wait too long get 503', async () => {
    const { clock, health } = setUp();
    const task = health.startupTask('model');
    const handler = coldStartGuard(health, async (_request, who: string) => new Response(who), {
      waitMs: 2000,
    });
    const early = handler(get('/'), 'early');
    await clock.advance(2000);
    const refused = await early;
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    const waiting = handler(get('/'), 'waiting');
    task.done();
    await clock.advance(10);
    expect(await (await waiting).text()).toBe('waiting');
    expect(await (await handler(get('/'), 'warm')).text()).toBe('warm');
    expect(() => coldStartGuard(health, async () => new Response(), { waitMs: -1 })).toThrow(
      'coldStartGuard.waitMs',
    );
    await health.dispose();
  });

  it('refuses what cannot work, by name', () => {
    expect(() => createHealth({ background: false, env: {} })).toThrow(
      'isolation must be "inline"',
    );
    expect(() =>
      createHealth({
        ...onDemandPreset,
        env: {},
        checks: { database: { mode: 'background', run() {} } },
      }),
    ).toThrow('checks.database.mode must be "on-demand"');
    expect(() =>
      createHealth({ ...onDemandPreset, env: {}, liveness: { guards: { memory: () => true } } }),
    ).toThrow('liveness.guards');
  });
});
