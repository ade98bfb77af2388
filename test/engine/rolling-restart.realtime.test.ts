import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureServers } from '../../tools/ensure-servers.mjs';
import { startFixture } from '../support/fixture.js';
import { type Program, eventually } from '../support/program.js';
import { startHaproxy } from '../support/servers/haproxy.js';
import type { Backend } from '../support/servers/load-balancer.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { startNginx } from '../support/servers/nginx.js';
import { findFreePort } from '../support/servers/server-process.js';
import { type SteadyLoad, startSteadyLoad } from '../support/steady-load.js';

type Way = 'hale' | 'bare';

const PER_SECOND = 200;
/** A check every 200 ms finds an instance that is back within that and its own time. */
const NOTICED_MS = 450;
const GRACE_MS = 3000;

const instances = new Map<Backend, Program>();
let balancer: ManagedServer | undefined;
let load: SteadyLoad | undefined;

beforeAll(() => ensureServers({ need: ['haproxy', 'nginx'] }));
afterEach(async () => {
  await load?.stop();
  await balancer?.dispose();
  await Promise.all([...instances.values()].map((instance) => instance.stop()));
  instances.clear();
});

async function startInstance(backend: Backend, way: Way): Promise<void> {
  const args = [String(backend.port), String(backend.probePort), way];
  const instance = startFixture('rolling-service', { args });
  instances.set(backend, instance);
  await instance.message('ready');
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function restart(backend: Backend, way: Way): Promise<number | null | undefined> {
  const instance = instances.get(backend);
  instance?.child.kill('SIGTERM');
  // As an orchestrator does: who has not ended within the grace period is killed.
  const code = await instance?.exit(GRACE_MS).catch(() => undefined);
  await instance?.stop();
  await startInstance(backend, way);
  await pause(NOTICED_MS);
  return code;
}

async function setUp(start: typeof startHaproxy, way: Way): Promise<readonly Backend[]> {
  const backends: Backend[] = [];
  for (let index = 0; index < 3; index += 1)
    backends.push({ port: await findFreePort(), probePort: await findFreePort() });
  await Promise.all(backends.map((backend) => startInstance(backend, way)));
  balancer = await start(backends);
  await pause(NOTICED_MS);
  load = startSteadyLoad(balancer.port, PER_SECOND);
  await eventually('load', () => (load !== undefined && load.sent > 100 ? true : undefined));
  return backends;
}

async function rollingRestarts(backends: readonly Backend[], way: Way, rounds: number) {
  const codes = new Set<unknown>();
  for (let round = 0; round < rounds; round += 1)
    for (const backend of backends) codes.add(await restart(backend, way));
  await load?.stop();
  return codes;
}

describe.each([
  ['HAProxy', startHaproxy],
  ['nginx', startNginx],
] as const)('rolling restarts behind %s', (_, start) => {
  it('T12, D1, D3: ten rolling restarts of three instances lose no request', async () => {
    const backends = await setUp(start, 'hale');
    const codes = await rollingRestarts(backends, 'hale', 10);
    expect(load?.failures).toEqual([]);
    expect([...codes]).toEqual([0]);
    expect(load?.sent).toBeGreaterThan(30 * PER_SECOND);
  }, 180_000);

  it('T12: the same with close() at the signal loses requests', async () => {
    const backends = await setUp(start, 'bare');
    await rollingRestarts(backends, 'bare', 1);
    expect(load?.failures).not.toEqual([]);
  }, 60_000);
});
