import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createBoard } from '../../src/core/board.js';
import { type DrainableServer, createDrainTargets } from '../../src/engine/drain-targets.js';
import { createInFlight } from '../../src/engine/in-flight.js';
import { createStreams } from '../../src/engine/streams.js';
import type { WebSocketServerLike } from '../../src/engine/tracked-web-sockets.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from './support.js';

function setUp(loadBalancerIdleTimeoutMs?: number) {
  const clock = createManualClock();
  const log = createLog();
  const shared = { clock, random: () => 0.5, logger: log.logger, redact: (text: string) => text };
  const targets = createDrainTargets({
    ...shared,
    inFlight: createInFlight({ clock, board: createBoard() }),
    streams: createStreams(shared),
    ...(loadBalancerIdleTimeoutMs === undefined ? {} : { loadBalancerIdleTimeoutMs }),
  });
  return { clock, log, targets };
}

function fakeWebSockets(count: number, clock: { now(): number }) {
  const closes: unknown[][] = [];
  const clients = new Set(
    Array.from({ length: count }, () => ({
      close: (...given: unknown[]) => void closes.push([...given, clock.now()]),
      terminate: () => void closes.push(['terminated']),
    })),
  );
  let closed = () => {};
  const server: WebSocketServerLike = { clients, close: (callback) => (closed = callback) };
  return { server, closes, end: () => closed() };
}

describe('servers of a drain', () => {
  it.each([[undefined], [null], [{}], [{ close() {} }], ['http']])(
    'refuses %j with what it accepts',
    (given) => {
      expect(() => setUp().targets.add(given as unknown as DrainableServer)).toThrow(
        /^drains \(a server\) must be an http, https or http2 server, or a WebSocketServer/,
      );
    },
  );

  it('D3: keep-alive outlives the load balancer, and the log says so (case 23)', () => {
    const { targets, log } = setUp(60_000);
    const server = createServer();
    targets.add(server);
    expect([server.keepAliveTimeout, server.headersTimeout]).toEqual([65_000, 66_000]);
    expect(log.lines).toMatchObject([
      { level: 'info', fields: { event: 'server_timeouts', keepAliveTimeout: 65_000 } },
    ]);
  });

  it('D3: a server that hale may not set is left alone and warned about, with the fix', () => {
    const { targets, log } = setUp();
    const server = createServer();
    targets.add(server, { loadBalancerIdleTimeoutMs: 60_000, setTimeouts: false });
    expect(server.keepAliveTimeout).toBe(5000);
    expect(log.lines).toMatchObject([
      {
        level: 'warn',
        fields: { event: 'keep_alive_too_short' },
        message: expect.stringContaining('set server.keepAliveTimeout = 65000') as unknown,
      },
    ]);
  });

  it('D3: without a known load balancer nothing is set; a bad time is refused', () => {
    const { targets, log } = setUp();
    const server = createServer();
    targets.add(server);
    expect([server.keepAliveTimeout, log.lines]).toEqual([5000, []]);
    expect(() => targets.add(createServer(), { loadBalancerIdleTimeoutMs: -1 })).toThrow(
      'loadBalancerIdleTimeoutMs must be a number from 0',
    );
  });

  it('D1: registers a server once, and takes it out when all have who registered it', () => {
    const { targets } = setUp();
    const server = createServer();
    const [first, second] = [targets.add(server), targets.add(server)];
    first();
    first();
    expect([targets.size, server.listenerCount('request')]).toEqual([1, 1]);
    second();
    expect([targets.size, server.listenerCount('request')]).toEqual([0, 0]);
    const again = targets.add(server);
    first();
    second();
    expect([targets.size, server.listenerCount('request')]).toEqual([1, 1]);
    again();
    expect(server.listenerCount('request')).toBe(0);
  });

  it('D3: WebSocket clients are told 1001 at different times, and cut when the time is up', async () => {
    const { clock, targets } = setUp();
    const fake = fakeWebSockets(20, clock);
    targets.add(fake.server);
    targets.startDraining();
    expect(fake.closes).toEqual([]);
    await targets.stopAccepting(10_000);
    const going = targets.gone();
    expect(targets.open()).toEqual(['20 WebSocket connections']);
    await clock.advance(1000);
    expect(fake.closes).toHaveLength(20);
    expect(fake.closes[0]).toEqual([1001, 'going away', 2000]);
    await targets.cut();
    expect(fake.closes.slice(20)).toEqual(Array.from({ length: 20 }, () => ['terminated']));
    fake.end();
    await going;
    expect(clock.pendingTimers).toBe(0);
  });
});
