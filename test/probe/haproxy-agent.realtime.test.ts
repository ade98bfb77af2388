import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureServers } from '../../tools/ensure-servers.mjs';
import { systemClock } from '../../src/engine/system-clock.js';
import { eventually } from '../support/program.js';
import { type BackendView, backendView, startHaproxy } from '../support/servers/haproxy.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { type HostKit, createHostKit } from './host-kit.js';

const backend = createServer((_, response) => response.end('served'));
let kit: HostKit;
let haproxy: ManagedServer;

beforeAll(async () => {
  await ensureServers({ need: ['haproxy'] });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  const agentCheck = { host: '127.0.0.1', port: 0, fullAt: 100 };
  // Liveness for HAProxy's own check, so that what it sees of readiness comes from the agent alone.
  kit = createHostKit('thread', { agentCheck, paths: paths('/livez', '/readyz') });
  const probePort = await kit.start();
  const { port } = backend.address() as AddressInfo;
  haproxy = await startHaproxy([{ port, probePort, agentPort: kit.port('agentCheck') }]);
});
afterAll(async () => {
  await haproxy?.dispose();
  await kit?.host.dispose();
  backend.close();
});

/** HAProxy asks `/readyz`; here that is the path of liveness. */
function paths(liveness: string, readiness: string) {
  return { liveness: [readiness], readiness: [liveness], startup: ['/startupz'] };
}

const sees = (what: string, matches: (view: BackendView) => boolean) =>
  eventually(`HAProxy that sees ${what}`, async () => {
    kit.host.board.beatLoop(systemClock.now());
    kit.host.board.setEvaluatedAt(systemClock.now());
    const view = await backendView(haproxy, 0);
    return matches(view) ? view : undefined;
  });

const served = async () => {
  const response = await fetch(`${haproxy.url}/`);
  return response.status === 200 && (await response.text()) === 'served';
};

const gates = { leaseLost: false, maintenance: false, atCapacity: false };

it('E6, R8: HAProxy weighs by load, takes out and takes back by the agent check', async () => {
  await sees('it up', ({ status, weight }) => status.startsWith('UP') && weight === 100);
  kit.host.board.setInFlight(75);
  await sees('a quarter of the weight', ({ weight }) => weight === 25);
  expect(await served()).toBe(true);

  kit.host.publish({ state: { gates: { ...gates, maintenance: true } } });
  await sees('it drain', ({ status }) => status.startsWith('DRAIN'));
  kit.host.publish({ state: { gates: { ...gates, leaseLost: true } } });
  const down = await sees('it down', ({ status }) => status.startsWith('DOWN'));
  expect(down.agent).toContain('lease_lost');
  expect(await served()).toBe(false);

  kit.host.publish({ state: { gates } });
  await sees('it up again', ({ status, weight }) => status.startsWith('UP') && weight === 25);
  kit.host.board.setPhase('draining');
  await sees('the drain', ({ status }) => status.startsWith('DRAIN'));
  expect(kit.errors).toEqual([]);
});
