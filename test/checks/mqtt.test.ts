import { describe, expect, it } from 'vitest';
import { type MqttClientLike, mqttConnection } from '../../src/checks/mqtt.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

const clock = createManualClock();

function client(state: Partial<MqttClientLike> = {}): MqttClientLike & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    connected: true,
    reconnecting: false,
    disconnecting: false,
    disconnected: false,
    unsubscribe: (topic, callback) => {
      asked.push(topic);
      callback(null);
    },
    ...state,
  };
}

const run = (mqtt: MqttClientLike) => harness(mqttConnection(mqtt), clock).run();

describe('mqttConnection', () => {
  it('passes on an UNSUBACK of its own topic', async () => {
    const mqtt = client();
    expect(await run(mqtt)).toMatchObject({ status: 'pass' });
    expect(mqtt.asked).toEqual(['hale-round-trip']);
  });

  it('C2: fails at its deadline without an answer', async () => {
    const running = run(client({ unsubscribe: () => {} }));
    await clock.advance(1_000);
    expect(await running).toMatchObject({
      status: 'fail',
      durationMs: 1_000,
      output: 'no UNSUBACK: timed out',
    });
  });

  it.each<[Partial<MqttClientLike>, string, string]>([
    [{ reconnecting: true }, 'not_connected', 'the client is reconnecting'],
    [{}, 'not_connected', 'the client has no connection'],
    [{ disconnecting: true }, 'connection_closed', 'the client has been ended'],
    [{ disconnected: true }, 'connection_closed', 'the client has been ended'],
  ])('sends nothing without a connection: %o', async (state, code, output) => {
    const mqtt = client({ ...state, connected: false });
    expect(await run(mqtt)).toMatchObject({ status: 'fail', code, output, durationMs: 0 });
    expect(mqtt.asked).toEqual([]);
  });

  it('fails with the words of the client', async () => {
    const unsubscribe: MqttClientLike['unsubscribe'] = (_, callback) =>
      callback(new Error('Connection closed'));
    expect(await run(client({ unsubscribe }))).toMatchObject({
      status: 'fail',
      output: 'Connection closed',
    });
  });

  it('refuses what is no client, and a topic that could be one of the application', () => {
    expect(() => mqttConnection({} as MqttClientLike)).toThrow(/mqttConnection\.client must be/);
    expect(() => mqttConnection(client(), { topic: 'orders/#' })).toThrow(
      /mqttConnection\.topic must be a topic without wildcards, got "orders\/#"/,
    );
    expect(() => mqttConnection(client(), { topic: '' })).toThrow(/a text of 1 to 1024/);
  });
});
