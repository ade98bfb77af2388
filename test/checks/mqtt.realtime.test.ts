import mqtt5 from 'mqtt';
import mqtt4 from 'mqtt4';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type MqttClientLike, mqttConnection } from '../../src/checks/mqtt.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { itConforms } from '../support/conformance.js';
import { harness } from '../support/run-check.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { startMosquitto } from '../support/servers/mosquitto.js';

const PASSWORD = 'hunter2';
const TIMEOUT_MS = 400;

let server: ManagedServer;
const open: (() => unknown)[] = [];
beforeAll(async () => {
  // The user may read one topic and do nothing else, least of all with the check's.
  const accessList = ['user hale', 'topic read orders'];
  server = await startMosquitto({ password: PASSWORD, accessList });
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});
afterAll(() => server.dispose());

/** Quick to see a peer that is silent, and to come back. */
const OPTIONS = { username: 'hale', reconnectPeriod: 50, connectTimeout: 500, keepalive: 1 };

interface Client extends MqttClientLike {
  on(event: 'error', listener: () => void): unknown;
  end(force: boolean): unknown;
}

type Connect = (url: string, password?: string) => Client;

const connect4: Connect = (url, password = PASSWORD) =>
  mqtt4.connect(url, { ...OPTIONS, password });
const connect5: Connect = (url, password = PASSWORD) =>
  mqtt5.connect(url, { ...OPTIONS, password });

/** Errors are told to the application, which does without. */
function quiet(client: Client): Client {
  client.on('error', () => {});
  return client;
}

const started = (client: MqttClientLike) =>
  harness(mqttConnection(client), systemClock, TIMEOUT_MS);

describe.each<[string, Connect]>([
  ['mqtt 4', connect4],
  ['mqtt 5', connect5],
])('mqttConnection with %s against a real Mosquitto', (_, connect) => {
  itConforms({
    name: 'mqttConnection',
    server: () => server,
    secrets: [PASSWORD],
    createSubject: ({ host, port, password }) => {
      const client = quiet(connect(`mqtt://${host}:${port}`, password(PASSWORD)));
      return { check: mqttConnection(client), close: () => client.end(true) };
    },
  });

  it('C9: the client of the application survives a frozen broker and failed runs', async () => {
    const client = quiet(connect(server.url));
    open.push(() => client.end(true));
    const check = started(client);
    await expect.poll(async () => (await check.run()).status).toBe('pass');
    server.freeze();
    for (let run = 0; run < 2; run += 1) {
      expect(await check.run()).toMatchObject({ status: 'fail' });
    }
    server.thaw();
    await expect.poll(async () => (await check.run()).status).toBe('pass');
  });

  it('C9: a client that was ended does not come back: connection_closed', async () => {
    const client = quiet(connect(server.url));
    const check = started(client);
    await expect.poll(async () => (await check.run()).status).toBe('pass');
    client.end(true);
    await expect
      .poll(() => check.run())
      .toMatchObject({ status: 'fail', code: 'connection_closed' });
  });
});

describe('mqttConnection', () => {
  it('C9: passes where a user may neither publish to its topic nor read it, also with MQTT 5', async () => {
    const client = mqtt5.connect(server.url, {
      ...OPTIONS,
      password: PASSWORD,
      protocolVersion: 5,
    });
    open.push(() => client.endAsync(true));
    const check = started(client);
    await expect.poll(async () => (await check.run()).status).toBe('pass');
    const publication = client.publishAsync('hale-round-trip', '', { qos: 1 });
    await expect(publication).rejects.toThrow(/Not authorized/);
    expect((await check.run()).status).toBe('pass');
  });

  it('C9: takes no subscription from the application', async () => {
    const own = await startMosquitto();
    open.push(() => own.dispose());
    const client = mqtt5.connect(own.url);
    open.push(() => client.endAsync(true));
    const got: string[] = [];
    client.on('message', (topic) => void got.push(topic));
    await client.subscribeAsync('#');
    const check = started(client);
    for (let run = 0; run < 3; run += 1) expect((await check.run()).status).toBe('pass');
    await client.publishAsync('orders', 'x', { qos: 1 });
    // The check itself has published nothing.
    await expect.poll(() => got).toEqual(['orders']);
  });

  it('C9: holds one question at most while the client has no connection or no answer', async () => {
    const client = mqtt5.connect(server.url, { ...OPTIONS, password: PASSWORD, keepalive: 60 });
    open.push(() => client.endAsync(true));
    const check = started(client);
    await expect.poll(async () => (await check.run()).status).toBe('pass');
    server.freeze();
    for (let run = 0; run < 3; run += 1) expect((await check.run()).status).toBe('fail');
    expect(Object.keys(client.outgoing)).toHaveLength(1);
    server.thaw();
    expect((await check.run()).status).toBe('pass');
    expect(Object.keys(client.outgoing)).toHaveLength(0);
  });
});
