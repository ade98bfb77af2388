import { Server, ServerCredentials } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addHealthService } from '../../src/frameworks/grpc.js';
import { type Health, type HealthOptions, createHealth } from '../../src/index.js';
import { ensureServers } from '../../tools/ensure-servers.mjs';
import { type GrpcHealthClient, createGrpcHealthClient } from '../support/grpc-health-client.js';
import { eventually } from '../support/program.js';
import { type PythonGrpcClient, startPythonGrpc } from '../support/python-grpc.js';
import { ISOLATIONS } from '../probe/host-kit.js';

beforeAll(() => ensureServers({ need: ['python', 'python-grpc'] }));

function createService(isolation: 'thread' | 'inline', more: HealthOptions = {}) {
  const health = createHealth({
    probes: { host: '127.0.0.1', port: 0 },
    diagnostic: false,
    signals: false,
    isolation,
    logger: { info() {}, warn() {}, error() {} },
    env: {},
    shutdown: { propagationDelayMs: 300, deadlineMs: 3000 },
    ...more,
  });
  const server = new Server();
  const remove = addHealthService(server, health, {
    services: { 'orders.v1.Orders': 'readiness' },
  });
  // The way the documentation shows.
  health.onShutdown('gRPC server', async (signal) => {
    signal.addEventListener('abort', () => server.forceShutdown());
    await new Promise((resolve) => server.tryShutdown(resolve));
  });
  return { health, server, remove };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port);
      else reject(error);
    });
  });
}

describe.each(ISOLATIONS)('E6: the health service of a gRPC server (%s)', (isolation) => {
  let health: Health;
  let server: Server;
  let client: GrpcHealthClient;
  let port: number;
  let python: PythonGrpcClient | undefined;

  beforeEach(async () => {
    ({ health, server } = createService(isolation));
    await health.start();
    await health.untilReady();
    port = await listen(server);
    client = createGrpcHealthClient(port);
  });
  afterEach(async () => {
    client.close();
    await python?.stop();
    server.forceShutdown();
    await health.dispose();
  });

  const sees = (watch: { readonly seen: readonly string[] }, ...statuses: string[]) =>
    eventually(
      `statuses ${statuses.join()}`,
      () => watch.seen.join() === statuses.join() || undefined,
    );

  it('answers Check and List as the probes do', async () => {
    const names = ['', 'readiness', 'liveness', 'startup', 'orders.v1.Orders'];
    for (const name of names) expect(await client.check(name)).toBe('SERVING');
    health.maintenance(true);
    expect(await client.list()).toEqual({
      '': 'NOT_SERVING',
      readiness: 'NOT_SERVING',
      'orders.v1.Orders': 'NOT_SERVING',
      liveness: 'SERVING',
      startup: 'SERVING',
    });
  });

  it('does not know a service that nobody has: NOT_FOUND, and SERVICE_UNKNOWN that stays open', async () => {
    await expect(client.check('nobody')).rejects.toMatchObject({ code: 5 });
    const watch = client.watch('nobody');
    await sees(watch, 'SERVICE_UNKNOWN');
    expect(watch.ended()).toBeUndefined();
  });

  it('Watch tells each change once', async () => {
    const watch = client.watch('');
    await sees(watch, 'SERVING');
    health.maintenance(true);
    await sees(watch, 'SERVING', 'NOT_SERVING');
    health.maintenance(false);
    await sees(watch, 'SERVING', 'NOT_SERVING', 'SERVING');
    // What no change is told for: liveness.
    const alive = client.watch('liveness');
    await sees(alive, 'SERVING');
    health.fatal('as a test');
    await sees(alive, 'SERVING', 'NOT_SERVING');
    expect(watch.ended()).toBeUndefined();
  });

  it('D1, D3: Watch tells the drain at once, and ends in time for the server to end', async () => {
    const watch = client.watch('');
    const alive = client.watch('liveness');
    await sees(watch, 'SERVING');
    await sees(alive, 'SERVING');
    const drained = health.shutdown();
    await sees(watch, 'SERVING', 'NOT_SERVING');
    expect(watch.ended()).toBeUndefined();
    const { exitCode, durationMs } = await drained;
    await eventually('the end', () => watch.ended() !== undefined || undefined);
    expect({ exitCode, ended: [watch.ended(), alive.ended()] }).toEqual({
      exitCode: 0,
      ended: [14, 14],
    });
    expect(alive.seen).toEqual(['SERVING']);
    expect(durationMs).toBeLessThan(2000);
  });

  it('is understood by a client on the C core', async () => {
    const run = async (...[what, service]: ['check' | 'watch', string]) => {
      python = startPythonGrpc(port, what, service);
      await python.ended();
      return python.told;
    };
    expect(await run('check', '')).toEqual(['SERVING']);
    expect(await run('check', 'nobody')).toEqual(['NOT_FOUND']);
    const watching = run('watch', 'orders.v1.Orders');
    await eventually('its first status', () => python?.told.length === 1 || undefined);
    await health.shutdown();
    expect(await watching).toEqual(['SERVING', 'NOT_SERVING', 'UNAVAILABLE']);
  });

  it('lets a client that watches for itself leave and come back', async () => {
    python = startPythonGrpc(port, 'channel', '');
    const becomes = (state: string) =>
      eventually(`channel ${state}`, () => python?.told.at(-1) === state || undefined);
    await becomes('READY');
    health.maintenance(true);
    await becomes('TRANSIENT_FAILURE');
    health.maintenance(false);
    await becomes('READY');
    expect(python.told).toContain('TRANSIENT_FAILURE');
  });
});

describe('E6: the health service of a gRPC server', () => {
  let service: ReturnType<typeof createService>;
  let client: GrpcHealthClient;

  beforeAll(async () => {
    let down = false;
    service = createService('thread', {
      probes: { host: '127.0.0.1', port: 0, details: true, warnStatus: 503 },
      checks: {
        'order cache': {
          impact: 'degraded',
          mode: 'on-demand',
          ttlMs: 1,
          run: () => {
            if (down) throw new Error('down');
            down = true;
          },
        },
      },
      checkDefaults: { failureThreshold: 1, failureTtlMs: 1 },
    });
    await service.health.start();
    client = createGrpcHealthClient(await listen(service.server));
  });
  afterAll(async () => {
    client?.close();
    service?.server.forceShutdown();
    await service?.health.dispose();
  });

  it('E3, R6: has each check as a service with details, runs those on demand, and heeds warnStatus', async () => {
    const watch = client.watch('order cache');
    await eventually('two statuses', () => watch.seen.length === 2 || undefined);
    expect(watch.seen).toEqual(['SERVING', 'NOT_SERVING']);
    expect(await client.list()).toMatchObject({ 'order cache': 'NOT_SERVING', '': 'NOT_SERVING' });
    service.remove();
    await eventually('the end', () => watch.ended() !== undefined || undefined);
    expect(watch.ended()).toBe(14);
  });
});
