import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import { type ClientSource, currentClient } from '../core/client-source.js';
import { OptionError } from '../core/errors.js';
import { createRoundTrip } from '../core/round-trip.js';

/** The part of a `NatsConnection` of nats (2) or @nats-io/transport-node (3) that {@link natsConnection} uses. */
export interface NatsConnectionLike {
  rtt(): Promise<number>;
  isClosed(): boolean;
}

/** Options of {@link natsConnection}. */
export type NatsConnectionOptions = CheckOptions;

/**
 * Sends the protocol's own PING on the application's connection and waits for the PONG (`rtt()`); the wait ends with
 * the run's signal. A PING needs no permission and no subject. While the client reconnects nothing is sent.
 *
 * - pass: the server answered.
 * - warn: never.
 * - fail: there is no connection yet (`not_connected`); the client has closed it for good, after `maxReconnectAttempts`
 *   or by `close()`, and will not come back (`connection_closed`); the client is reconnecting; or there was no answer
 *   before the timeout.
 *
 * Suggested impact: `critical` where requests need the server, otherwise `degraded`. Cost: one PING per run on the
 * connection of the application; while one is unanswered no other is sent.
 * @param connection - the connection, or a function that gives the present one
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no connection
 */
export function natsConnection(
  connection: ClientSource<NatsConnectionLike>,
  options: NatsConnectionOptions = {},
): Check {
  const current = currentClient(connection, {
    option: 'natsConnection.connection',
    accepted: 'a NatsConnection',
    isClient: (nats) => typeof nats.rtt === 'function' && typeof nats.isClosed === 'function',
  });
  const roundTrip = createRoundTrip(ping);
  return {
    componentType: 'component',
    measurement: 'responseTime',
    ...options,
    run: async (signal) => {
      const nats = current();
      if (nats === undefined) return NOT_CONNECTED;
      if (nats.isClosed()) return CLOSED;
      await roundTrip(nats, signal, () => new Error('no PONG', { cause: signal.reason }));
    },
  };
}

const NOT_CONNECTED: CheckResult = {
  status: 'fail',
  code: 'not_connected',
  output: 'there is no connection yet',
};

const CLOSED: CheckResult = {
  status: 'fail',
  code: 'connection_closed',
  output: 'the connection is closed for good',
};

async function ping(nats: NatsConnectionLike): Promise<void> {
  try {
    // Not flush(): that one leaves its PING in the buffer while there is no connection; rtt() refuses.
    await nats.rtt();
  } catch (error) {
    throw new Error('no PONG', { cause: error });
  }
}

/** The part of a `JetStreamManager` (nats 2, @nats-io/jetstream 3) that {@link natsJetStream} uses. */
export interface NatsJetStreamManagerLike {
  getAccountInfo(): Promise<unknown>;
}

/**
 * Asks JetStream for the account's information: it answers while its leader does, which a PONG does not tell.
 *
 * - pass: JetStream answered.
 * - warn: never.
 * - fail: it is not enabled, has no leader, or there was no answer before the timeout.
 *
 * Suggested impact: as for {@link natsConnection}. Cost: one request per run on the connection of the application, which
 * needs the permission to publish to `$JS.API.INFO`.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no manager
 */
export function natsJetStream(
  manager: NatsJetStreamManagerLike,
  options: NatsConnectionOptions = {},
): Check {
  if (typeof manager?.getAccountInfo !== 'function') {
    throw new OptionError('natsJetStream.manager', 'a JetStreamManager', manager);
  }
  const roundTrip = createRoundTrip((jetStream: NatsJetStreamManagerLike) =>
    jetStream.getAccountInfo(),
  );
  return {
    componentType: 'component',
    measurement: 'responseTime',
    ...options,
    run: async (signal) => {
      const noAnswer = () => new Error('no answer of JetStream', { cause: signal.reason });
      await roundTrip(manager, signal, noAnswer);
    },
  };
}
