/** Asks the three probes on the panel's behalf, on a thread of its own: it answers while the main loop is blocked. */
import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { type ProbeAnswer, parseProbeAnswer } from './probe-answer.js';

interface RelayData {
  host: string;
  port: number;
  probes: string;
}

const PATHS = { startup: '/startupz', liveness: '/livez', readiness: '/readyz' } as const;
const PROBE_TIMEOUT_MS = 1_500;

const { host, port, probes } = workerData as RelayData;

async function ask(probe: keyof typeof PATHS): Promise<ProbeAnswer> {
  const startedAt = performance.now();
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(`${probes}${PATHS[probe]}`, { signal });
    const body = await response.text();
    return parseProbeAnswer(probe, response.status, body, performance.now() - startedAt);
  } catch {
    return parseProbeAnswer(probe, undefined, '', performance.now() - startedAt);
  }
}

async function answer(response: ServerResponse): Promise<void> {
  const answers = await Promise.all([ask('startup'), ask('liveness'), ask('readiness')]);
  response.writeHead(200, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    // The page comes from the application's port; what it reads here is public on the probe port.
    'access-control-allow-origin': '*',
  });
  response.end(JSON.stringify(answers));
}

const server = createServer((request, response) => {
  if (request.method === 'GET' && request.url === '/probes') void answer(response);
  else response.writeHead(404).end();
});
server.listen({ host, port });
await once(server, 'listening');
parentPort?.postMessage((server.address() as AddressInfo).port);
