import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/core/logger.js';
import { createHealth } from '../../src/create-health.js';
import type { Health } from '../../src/health.js';
import { eventually } from '../support/program.js';
import { rawConnection } from '../support/raw-http.js';

const ending: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

type Application = (request: IncomingMessage, response: ServerResponse, health: Health) => void;

/** A server in the drain of a health. */
async function serve(application: Application): Promise<{ health: Health; port: number }> {
  const health = createHealth({
    probes: false,
    diagnostic: false,
    signals: false,
    env: {},
    logger: silentLogger,
    admission: { limit: 3 },
    shutdown: { propagationDelayMs: 0, deadlineMs: 2000 },
  });
  const server = createServer((request, response) => application(request, response, health));
  health.drains(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ending.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => health.dispose(),
  );
  await health.start();
  return { health, port: (server.address() as AddressInfo).port };
}

/** Sends three requests in one go, and leaves once all have arrived. */
async function leaveAfterThree(port: number, arrived: () => number): Promise<void> {
  const before = arrived();
  const connection = await rawConnection(port);
  connection.write('GET /orders HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3));
  await eventually('arrival', () => (arrived() === before + 3 ? true : undefined));
  connection.socket.destroy();
}

describe('requests that wait for the answer of another on their connection', () => {
  it('O1, D1: are in flight no more once their client has left', async () => {
    let arrived = 0;
    const { health, port } = await serve(() => (arrived += 1));
    await leaveAfterThree(port, () => arrived);
    await eventually('idle', () => (health.report().inFlight === 0 ? true : undefined), 2000);
    const { exitCode, steps } = await health.shutdown('test');
    expect([exitCode, steps.filter(({ ended }) => ended !== 'done')]).toEqual([0, []]);
  });

  it('R8: give back what admission let them have', async () => {
    let admitted = 0;
    const { port, health } = await serve((request, response, { admission }) => {
      admission.call(health)(request, response, () => (admitted += 1));
    });
    for (let round = 0; round < 2; round += 1) await leaveAfterThree(port, () => admitted);
    const admit = () => {
      const result = health.admit();
      if (result.admitted) result.done();
      return result.admitted ? result : undefined;
    };
    expect(await eventually('admission', admit, 2000)).toMatchObject({ admitted: true });
  });

  it('D3: end as streams', async () => {
    const signals: AbortSignal[] = [];
    const { port } = await serve((_request, response, health) => {
      signals.push(health.stream(response));
    });
    await leaveAfterThree(port, () => signals.length);
    const ended = () => (signals.every(({ aborted }) => aborted) ? signals : undefined);
    expect(await eventually('end', ended, 2000)).toHaveLength(3);
  });
});
