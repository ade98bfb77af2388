import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import type { Clock } from '../core/clock.js';
import { errorText } from '../core/error-text.js';
import { HaleError, OptionError } from '../core/errors.js';
import { createRoundTrip } from '../core/round-trip.js';
import { durationOption } from '../core/validate.js';

/** The part of a `MongoClient` of mongodb (5, 6, 7) that {@link mongodbPing} uses. */
export interface MongoClientLike {
  db(name: string): {
    command(
      command: { readonly [name: string]: unknown },
      options: { readonly readPreference: 'primaryPreferred'; readonly signal: AbortSignal },
    ): Promise<unknown>;
  };
  readonly options?: { readonly directConnection?: boolean };
}

/** The part of a `Connection` of mongoose (7, 8, 9), such as `mongoose.connection`, that {@link mongoosePing} uses. */
export interface MongooseConnectionLike {
  getClient(): MongoClientLike;
}

/** Options of {@link mongodbPing} and {@link mongoosePing}. */
export interface MongodbPingOptions extends CheckOptions {
  /**
   * Fails when a replica set has had no primary for this long, in milliseconds; until then it warns, because an election
   * takes some ten seconds and the driver holds writes back meanwhile, up to its `serverSelectionTimeoutMS`. 0 fails at
   * once, Infinity never.
   * @defaultValue 30000
   */
  noPrimaryFailMs?: number;
}

/**
 * Sends the command `ping` through the application's client, to the primary or, without one, to any member, and asks
 * that server with `hello` about its replica set. Never looks at `readyState` or at what the driver remembers.
 *
 * - pass: the server answered and, in a replica set, is its primary; a client with `directConnection` wants none.
 * - warn: there is no primary, or it cannot be reached; code `no_primary`.
 * - fail: that has been so for `noPrimaryFailMs` (`no_primary`); the client was closed or its first attempt to connect
 *   failed, after which it answers nothing until `connect()` is called again (`client_closed`); the command failed; or
 *   there was no answer before the timeout.
 *
 * Suggested impact: `critical`. Cost: two commands per run on a connection of the client's pool; while one is unanswered
 * no other is sent.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no client or an option out of range
 */
export function mongodbPing(client: MongoClientLike, options: MongodbPingOptions = {}): Check {
  if (typeof client?.db !== 'function') {
    throw new OptionError('mongodbPing.client', 'a MongoClient with db()', client);
  }
  return createPing('mongodbPing', () => client, options);
}

/**
 * What {@link mongodbPing} does, with the client that a mongoose connection uses: past mongoose's own queue, which holds
 * what is asked before there is a connection.
 *
 * - pass, warn, fail: as there; also fail while the connection was never told where to connect to (`not_connected`).
 *
 * Suggested impact: `critical`. Cost: two commands per run on a connection of the client's pool.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no connection or an option out of range
 */
export function mongoosePing(
  connection: MongooseConnectionLike,
  options: MongodbPingOptions = {},
): Check {
  if (typeof connection?.getClient !== 'function') {
    throw new OptionError('mongoosePing.connection', 'a Connection of mongoose', connection);
  }
  // Typed as if it were always there; it is not before the first connect().
  return createPing('mongoosePing', () => connection.getClient(), options);
}

const NOT_CONNECTED: CheckResult = {
  status: 'fail',
  code: 'not_connected',
  output: 'mongoose was not told to connect',
};

/** Of a client that was closed, or whose first attempt to connect has failed: neither comes back by itself. */
const CLOSED_ERRORS: readonly unknown[] = ['MongoTopologyClosedError', 'MongoNotConnectedError'];

const CLOSED: CheckResult = { status: 'fail', code: 'client_closed' };

function isClosed(error: unknown): boolean {
  return CLOSED_ERRORS.includes((error as { name?: unknown } | undefined)?.name);
}

function createPing(
  name: string,
  current: () => MongoClientLike | null | undefined,
  options: MongodbPingOptions,
): Check {
  const { noPrimaryFailMs = 30_000, ...checkOptions } = options;
  if (noPrimaryFailMs !== Infinity) durationOption(`${name}.noPrimaryFailMs`, noPrimaryFailMs, 0);
  let hello: Hello = {};
  const roundTrip = createRoundTrip(async (client: MongoClientLike, signal) => {
    hello = await pingAndHello(client, signal);
  });
  let clock: Clock | undefined;
  let withoutSince: number | undefined;
  return {
    componentType: 'datastore',
    measurement: 'responseTime',
    ...checkOptions,
    start: (context) => {
      clock = context.clock;
    },
    dispose: () => {
      withoutSince = undefined;
    },
    run: async (signal) => {
      if (clock === undefined) throw new HaleError('HALE_STATE', `${name} runs only after start()`);
      const client = current();
      if (client === null || client === undefined) return NOT_CONNECTED;
      const noAnswer = () => new Error('no answer to ping', { cause: signal.reason });
      try {
        await roundTrip(client, signal, noAnswer);
      } catch (error) {
        if (isClosed(error)) return { ...CLOSED, output: errorText(error) };
        throw error;
      }
      const missing = missingPrimary(hello, client);
      if (missing === undefined) {
        withoutSince = undefined;
        return undefined;
      }
      withoutSince ??= clock.now();
      const failed = clock.now() - withoutSince >= noPrimaryFailMs;
      return { status: failed ? 'fail' : 'warn', code: 'no_primary', output: missing };
    },
  };
}

/** What a server says about itself; nothing of it is certain. */
type Hello = Readonly<Record<string, unknown>>;

/** The code of an error for a command that the server does not know, as `hello` before 4.4.2. */
const COMMAND_NOT_FOUND = 59;

async function pingAndHello(client: MongoClientLike, signal: AbortSignal): Promise<Hello> {
  const admin = client.db('admin');
  // By name, or the driver would wait for a primary. Drivers before 6.13 know no signal.
  const options = { readPreference: 'primaryPreferred', signal } as const;
  await admin.command({ ping: 1 }, options);
  try {
    return (await admin.command({ hello: 1 }, options)) as Hello;
  } catch (error) {
    if ((error as { code?: unknown } | undefined)?.code === COMMAND_NOT_FOUND) return {};
    throw error;
  }
}

/** What to say when the client has reached a member of a replica set that is not its primary. */
function missingPrimary(hello: Hello, client: MongoClientLike): string | undefined {
  const { setName, isWritablePrimary, primary } = hello;
  if (typeof setName !== 'string' || isWritablePrimary === true) return undefined;
  if (client.options?.directConnection === true) return undefined;
  if (typeof primary !== 'string') return `the replica set ${setName} has no primary`;
  return `the primary of the replica set ${setName}, ${primary}, cannot be reached`;
}
