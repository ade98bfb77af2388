import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import { OptionError } from '../core/errors.js';
import { createRoundTrip } from '../core/round-trip.js';
import { textOption } from '../core/validate.js';

/** The part of an `MqttClient` of mqtt (4, 5) that {@link mqttConnection} uses. */
export interface MqttClientLike {
  readonly connected: boolean;
  readonly reconnecting: boolean;
  readonly disconnecting: boolean;
  readonly disconnected: boolean;
  unsubscribe(topic: string, callback: (error?: Error | null) => void): unknown;
}

/** Options of {@link mqttConnection}. */
export interface MqttConnectionOptions extends CheckOptions {
  /**
   * A topic that the application never subscribes to, without wildcards.
   * @defaultValue 'hale-round-trip'
   */
  topic?: string;
}

/**
 * Sends UNSUBSCRIBE for a topic that nobody is subscribed to and waits for the UNSUBACK; the wait ends with the run's
 * signal. MQTT 3.1.1 (3.10.4) and 5 oblige the broker to answer although nothing was subscribed, and unlike a
 * publication it needs no permission, reaches nobody, and leaves nothing behind. The client's own PINGREQ cannot be asked for.
 *
 * - pass: the broker answered.
 * - warn: never.
 * - fail: the client has no connection, so nothing is sent (`not_connected`); it has been ended and will not come back
 *   (`connection_closed`); or there was no answer before the timeout.
 *
 * Suggested impact: `critical` where requests need the broker, otherwise `degraded`. Cost: one packet of about 20 bytes
 * per run on the connection of the application; while one is unanswered no other is sent.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no client or an option out of range
 */
export function mqttConnection(client: MqttClientLike, options: MqttConnectionOptions = {}): Check {
  const { topic = 'hale-round-trip', ...checkOptions } = options;
  if (typeof client?.unsubscribe !== 'function' || typeof client.connected !== 'boolean') {
    throw new OptionError('mqttConnection.client', 'a client of mqtt', client);
  }
  // An unsubscription from a filter could be one the application lives on.
  if (/[#+]/.test(textOption('mqttConnection.topic', topic))) {
    throw new OptionError('mqttConnection.topic', 'a topic without wildcards', topic);
  }
  const roundTrip = createRoundTrip((mqtt: MqttClientLike) => unsubscribe(mqtt, topic));
  return {
    componentType: 'component',
    measurement: 'responseTime',
    ...checkOptions,
    run: async (signal) => {
      if (!client.connected) return withoutConnection(client);
      await roundTrip(client, signal, () => new Error('no UNSUBACK', { cause: signal.reason }));
    },
  };
}

function unsubscribe(client: MqttClientLike, topic: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.unsubscribe(topic, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

function withoutConnection(client: MqttClientLike): CheckResult {
  if (client.disconnecting || client.disconnected) {
    return { status: 'fail', code: 'connection_closed', output: 'the client has been ended' };
  }
  const state = client.reconnecting ? 'is reconnecting' : 'has no connection';
  return { status: 'fail', code: 'not_connected', output: `the client ${state}` };
}
