import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHealth } from '../../src/index.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { eventually } from '../support/program.js';
import { exchange, rawConnection } from '../support/raw-http.js';
import { findFreePort } from '../support/servers/server-process.js';
import { type HostKit, ISOLATIONS, createHostKit } from './host-kit.js';

const at = { host: '127.0.0.1', port: 0 };
let kit: HostKit;
afterEach(() => kit.host.dispose());

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
  });
}

const becomes = (port: number, open: boolean) =>
  eventually(`port that is ${open ? 'open' : 'closed'}`, async () =>
    (await accepts(port)) === open ? true : undefined,
  );

const notReady = { gates: { leaseLost: false, maintenance: true, atCapacity: false } };
const ready = { gates: { ...notReady.gates, maintenance: false } };

describe.each(ISOLATIONS)('E6: the TCP listener (%s)', (isolation) => {
  it('is open exactly while readiness passes', async () => {
    kit = createHostKit(isolation, { tcp: at });
    await kit.start();
    const port = kit.port('tcp');
    await becomes(port, true);
    kit.host.publish({ state: notReady });
    await becomes(port, false);
    kit.host.publish({ state: ready });
    await becomes(port, true);
    // The drain publishes nothing by itself.
    kit.host.board.setPhase('draining');
    await becomes(port, false);
    expect(kit.errors).toEqual([]);
  });

  it('closes when the snapshot gets too old, with nothing published', async () => {
    kit = createHostKit(isolation, { tcp: at, staleAfterMs: 300, stallAfterMs: 1000 });
    await kit.start();
    await becomes(kit.port('tcp'), true);
    await becomes(kit.port('tcp'), false);
    kit.host.board.setEvaluatedAt(systemClock.now() + 60_000);
    await becomes(kit.port('tcp'), true);
    expect(kit.errors).toEqual([]);
  });
});

describe('E6: listeners for other protocols', () => {
  it('never opens before readiness passes, and then on a port known in advance', async () => {
    const port = await findFreePort();
    kit = createHostKit('thread', { tcp: { ...at, port } });
    kit.host.publish({ state: notReady });
    await kit.host.start();
    expect(await accepts(port)).toBe(false);
  });

  it('reports a TCP port that is taken once, and opens it when it is free', async () => {
    const blocker = createHostKit('thread', { tcp: at });
    await blocker.start();
    const port = blocker.port('tcp');
    await becomes(port, true);
    kit = createHostKit('thread', { tcp: { ...at, port }, stallAfterMs: 1000 });
    await kit.start();
    await eventually('error', () => (kit.errors.length > 0 ? true : undefined));
    await blocker.host.dispose();
    await becomes(port, true);
    expect(kit.errors).toHaveLength(1);
    expect(kit.errors[0]).toMatchObject({ message: expect.stringContaining('EADDRINUSE') });
  });

  it('answers the agent check with a line, whatever is sent, and closes', async () => {
    kit = createHostKit('thread', { agentCheck: { ...at, fullAt: 10 } });
    await kit.start();
    const port = kit.port('agentCheck');
    expect(await exchange(port, '')).toBe('up ready 100%\n');
    kit.host.board.setInFlight(4);
    expect(await exchange(port, 'something that HAProxy was told to send\n')).toBe(
      'up ready 60%\n',
    );
    kit.host.board.setPhase('draining');
    expect(await exchange(port, '')).toBe('drain # draining\n');
  });

  it('ends at once although a client holds its connection', async () => {
    kit = createHostKit('thread', { agentCheck: at });
    await kit.start();
    const held = await rawConnection(kit.port('agentCheck'));
    held.socket.pause();
    await kit.host.dispose();
    expect(await accepts(kit.port('agentCheck'))).toBe(false);
    held.end();
  });

  it('rejects an agent check port that is taken, naming its option', async () => {
    const blocker = createHostKit('thread', { agentCheck: at });
    await blocker.start();
    kit = createHostKit('thread', { agentCheck: { ...at, port: blocker.port('agentCheck') } });
    await expect(kit.host.start()).rejects.toMatchObject({
      code: 'HALE_PORT_IN_USE',
      message: expect.stringContaining('probes.agentCheck.port (HALE_AGENT_CHECK_PORT)'),
    });
    await blocker.host.dispose();
  });
});

describe('E6: the listeners of a service', () => {
  it.each(ISOLATIONS)('are those the options ask for and no other (%s)', async (isolation) => {
    const start = async (probes: object) => {
      await using health = createHealth({
        probes: { host: '127.0.0.1', port: 0, ...probes },
        diagnostic: false,
        signals: false,
        isolation,
        logger: { info() {}, warn() {}, error() {} },
        env: {},
      });
      const addresses = await health.start();
      const kinds = addresses.map(({ kind }) => kind);
      return { kinds, ports: new Set(addresses.map(({ port }) => port)).size };
    };
    expect(await start({})).toEqual({ kinds: ['probes'], ports: 1 });
    const all = { tcp: { port: 0 }, agentCheck: { port: 0 }, grpc: { port: 0 } };
    expect(await start(all)).toEqual({ kinds: ['probes', 'tcp', 'agentCheck', 'grpc'], ports: 4 });
  });
});
