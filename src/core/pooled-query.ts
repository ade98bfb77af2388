import { untilAborted } from './abort.js';
import type { Check, CheckOptions, CheckResult } from './check.js';
import type { Clock } from './clock.js';
import { DEFAULTS } from './defaults.js';
import { HaleError } from './errors.js';
import { type Lender, type Loan, createLoanDesk, quietly } from './loan-desk.js';
import { type PoolSource, createPoolWatch } from './pool-check.js';
import { numberOption, textOption } from './validate.js';

/** Options of every check that asks the server through a pool that it shares with the application. */
export interface PooledQueryOptions extends CheckOptions {
  /** The statement of the round trip. @defaultValue 'SELECT 1' */
  query?: string;
  /**
   * How long a run waits for a connection before it says `pool_busy` instead of what the server says, in milliseconds;
   * below `timeoutMs`.
   * @defaultValue half of `timeoutMs`
   */
  poolWaitMs?: number;
  /**
   * Fails when requests wait and no connection has come back for this long, in milliseconds.
   * @defaultValue 30000
   */
  noReturnFailMs?: number;
}

/** What differs between the libraries. */
export interface PooledClient<C> extends Lender<C> {
  /** Name of the check, for options and errors. */
  readonly name: string;
  /** Counters of the pool; without them nobody knows whether a run waits for the pool or for the server. */
  readonly pool?: Omit<PoolSource, 'name'> | undefined;
  ask(connection: C, query: string): Promise<unknown>;
  /** Takes a connection out of the pool for good, without waiting for the peer. */
  discard(connection: C): unknown;
  /** Whether `acquire` has failed because others have all connections, which is no word of the server. */
  isTurnedAway?(error: unknown): boolean;
}

/**
 * A deep check through a pool that it shares with the application. It has one request at most in the pool's queue, and
 * while it waits there it says `pool_busy` by the pool rule (C8) instead of failing.
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function createPooledQuery<C>(client: PooledClient<C>, options: PooledQueryOptions): Check {
  const { query = 'SELECT 1', noReturnFailMs = 30_000, poolWaitMs, ...checkOptions } = options;
  const { timeoutMs = DEFAULTS.check.timeoutMs } = options;
  const waitMs = poolWaitMs ?? Math.ceil(timeoutMs / 2);
  textOption(`${client.name}.query`, query);
  if (poolWaitMs !== undefined) {
    numberOption(`${client.name}.poolWaitMs`, poolWaitMs, { min: 1, max: timeoutMs - 1 });
  }
  const queue = createQueueWatch(client, noReturnFailMs);
  const desk = createLoanDesk(client);
  const closing = new AbortController();
  let clock: Clock | undefined;
  return {
    componentType: 'datastore',
    measurement: 'responseTime',
    ...checkOptions,
    start: (context) => {
      clock = context.clock;
      queue.start(context.clock);
    },
    dispose: () => {
      desk.close();
      closing.abort(new HaleError('HALE_DISPOSED', 'this check was closed'));
      queue.stop();
    },
    run: async (signal) => {
      if (clock === undefined) {
        throw new HaleError('HALE_STATE', `${client.name} runs only after its start()`);
      }
      signal.throwIfAborted();
      const lent = await lentOrVerdict(client, desk.borrow(), { clock, signal, waitMs, queue });
      if ('verdict' in lent) return lent.verdict;
      queue.came();
      await askOn(client, lent.connection, query, [signal, closing.signal]);
      return undefined;
    },
  };
}

type Lent<C> = { readonly connection: C } | { readonly verdict: CheckResult };

interface Patience {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly waitMs: number;
  readonly queue: QueueWatch;
}

/** Waits for the connection, but for the pool no longer than `waitMs`. */
async function lentOrVerdict<C>(
  client: PooledClient<C>,
  loan: Loan<C>,
  { clock, signal, waitMs, queue }: Patience,
): Promise<Lent<C>> {
  let verdict: CheckResult | undefined;
  const abort = () => loan.cancel(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const timer = clock.setTimeout(() => {
    verdict = queue.verdict();
    if (verdict !== undefined) loan.cancel(verdict);
  }, waitMs);
  try {
    return { connection: await loan.connection };
  } catch (error) {
    if (client.isTurnedAway?.(error) === true) verdict ??= queue.verdict('turned away');
    if (verdict !== undefined) return { verdict };
    throw error;
  } finally {
    timer.clear();
    signal.removeEventListener('abort', abort);
  }
}

async function askOn<C>(
  client: PooledClient<C>,
  connection: C,
  query: string,
  [signal, closing]: readonly [AbortSignal, AbortSignal],
): Promise<void> {
  if (signal.aborted) {
    quietly(() => client.giveBack(connection));
    throw signal.reason;
  }
  try {
    const answer = (async () => client.ask(connection, query))();
    await untilAborted(untilAborted(answer, signal), closing);
  } catch (error) {
    quietly(() => client.discard(connection));
    throw error;
  }
  quietly(() => client.giveBack(connection));
}

/** The pool rule for the moments in which a run waits for the pool. */
interface QueueWatch {
  start(clock: Clock): void;
  stop(): void;
  /** What the rule says; undefined when what others have is not what is waited for. */
  verdict(turnedAway?: 'turned away'): CheckResult | undefined;
  /** A connection has come. */
  came(): void;
}

function createQueueWatch<C>({ name, pool }: PooledClient<C>, noReturnFailMs: number): QueueWatch {
  const source = { listen: () => undefined, read: () => undefined, ...pool, name };
  // Whatever is waited for is busy, however small the pool.
  const limits = { warnAbove: 0, noReturnFailMs, maxWaiting: Infinity, maxWaitingSamples: 1 };
  const watch = createPoolWatch(source, limits);
  return {
    start: watch.start,
    stop: watch.stop,
    came: watch.forget,
    verdict: (turnedAway) => {
      const counters = source.read();
      if (counters === undefined) return undefined;
      const isFull = counters.idle === 0 && counters.total >= counters.max;
      if (counters.waiting === 0 && !(turnedAway && isFull)) return undefined;
      const result = watch.judge();
      return result.status === 'pass' ? undefined : result;
    },
  };
}
