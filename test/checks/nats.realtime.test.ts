import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import {
  type NatsConnection as NatsConnection3,
  connect as connect3,
} from '@nats-io/transport-node';
import { type NatsConnection as NatsConnection2, connect as connect2 } from 'nats';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { natsConnection, natsJetStream } from '../../src/checks/nats.js';
import type { Check } from '../../src/core/check.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { itConforms } from '../support/conformance.js';
import { harness } from '../support/run-check.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { startNats } from '../support/servers/nats.js';

const PASSWORD = 'hunter2';
const TIMEOUT_MS = 400;

let server: ManagedServer;
const open: (() => unknown)[] = [];
beforeAll(async () => {
  server = await startNats({ password: PASSWORD, jetStream: true });
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});
afterAll(() => server.dispose());

/** Quick to see a peer that is silent, and to come back. */
const OPTIONS = {
  user: 'hale',
  pass: PASSWORD,
  pingInterval: 200,
  maxPingOut: 2,
  maxReconnectAttempts: -1,
  reconnectTimeWait: 50,
  reconnectJitter: 0,
  timeout: 500,
};

type Connect = (
  options: typeof OPTIONS & { servers: string },
) => Promise<NatsConnection2 | NatsConnection3>;

/** As an application does that must not wait for NATS at its start. */
function eventually(connect: Connect, options: typeof OPTIONS & { servers: string }) {
  let connection: NatsConnection2 | NatsConnection3 | undefined;
  let stopped = false;
  const attempt = async (): Promise<void> => {
    try {
      const made = await connect(options);
      if (stopped) await made.close();
      else connection = made;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (!stopped) await attempt();
    }
  };
  const connecting = attempt();
  return {
    current: () => connection,
    close: async () => {
      stopped = true;
      await connecting;
      await connection?.close();
    },
  };
}

describe.each<[string, Connect]>([
  ['nats 2', connect2],
  ['@nats-io/transport-node 3', connect3],
])('natsConnection with %s against a real NATS server', (_, connect) => {
  itConforms({
    name: 'natsConnection',
    server: () => server,
    secrets: [PASSWORD],
    createSubject: ({ host, port, password }) => {
      const servers = `${host}:${port}`;
      const app = eventually(connect, { ...OPTIONS, servers, pass: password(PASSWORD) });
      return { check: natsConnection(app.current), close: app.close };
    },
  });
});

describe('natsJetStream with @nats-io/jetstream 3 against a real NATS server', () => {
  itConforms({
    name: 'natsJetStream',
    server: () => server,
    secrets: [PASSWORD],
    createSubject: ({ host, port, password }) => {
      const servers = `${host}:${port}`;
      let manager: JetStreamManager | undefined;
      const connect = async (options: typeof OPTIONS & { servers: string }) => {
        const made = await connect3(options);
        // Not asked for its account here: that is what the check does.
        manager = await jetstreamManager(made, { checkAPI: false, timeout: 500 });
        return made;
      };
      const app = eventually(connect, { ...OPTIONS, servers, pass: password(PASSWORD) });
      const current = {
        getAccountInfo: async () => {
          if (manager === undefined) throw new Error('not connected yet');
          return manager.getAccountInfo();
        },
      };
      return { check: natsJetStream(current), close: app.close };
    },
  });
});

describe('natsConnection and natsJetStream', () => {
  const started = (check: Check) => harness(check, systemClock, TIMEOUT_MS);

  it('C9: the connection of the application survives a frozen server and failed runs', async () => {
    const nats = await connect3({ ...OPTIONS, servers: server.url, pingInterval: 60_000 });
    open.push(() => nats.close());
    const check = started(natsConnection(nats));
    server.freeze();
    for (let run = 0; run < 3; run += 1) {
      expect(await check.run()).toMatchObject({ status: 'fail', output: 'no PONG: timed out' });
    }
    server.thaw();
    expect(await check.run()).toMatchObject({ status: 'pass' });
    expect(nats.stats()).toMatchObject({ inMsgs: 0, outMsgs: 0 });
    expect(await nats.rtt()).toBeLessThan(TIMEOUT_MS);
  });

  it.each([
    ['nats 2', connect2],
    ['@nats-io/transport-node 3', connect3],
  ])('C9: %s has given up for good: connection_closed, at once', async (_, connect) => {
    const own = await startNats();
    open.push(() => own.dispose());
    const servers = own.url;
    const nats = await connect({ servers, maxReconnectAttempts: 1, reconnectTimeWait: 10 });
    const check = started(natsConnection(nats));
    expect(await check.run()).toMatchObject({ status: 'pass' });
    await own.stop();
    await nats.closed();
    const outcome = await check.run();
    expect(outcome).toMatchObject({ status: 'fail', code: 'connection_closed' });
    expect(outcome.durationMs).toBeLessThan(50);
  });

  it('C9: JetStream answers, and one that is not enabled fails', async () => {
    const on = await connect2({ ...OPTIONS, servers: server.url });
    const without = await startNats();
    const off = await connect3({ servers: without.url });
    open.push(
      () => on.close(),
      () => off.close(),
      () => without.dispose(),
    );
    const enabled = started(natsJetStream(await on.jetstreamManager()));
    expect(await enabled.run()).toMatchObject({ status: 'pass' });
    const disabled = started(natsJetStream(await jetstreamManager(off, { checkAPI: false })));
    expect((await disabled.run()).status).toBe('fail');
  });
});
