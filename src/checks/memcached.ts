import { type Socket, connect } from 'node:net';
import { untilAborted } from '../core/abort.js';
import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import { OptionError, describe } from '../core/errors.js';
import { errorText } from '../core/error-text.js';
import { type ConnectionDriver, createReservedConnection } from '../core/reserved-connection.js';
import { type ResolvedTcpAddress, type TcpAddress, tcpAddressOption } from '../core/tcp-address.js';

export type { TcpAddress };

/** Options of {@link memcachedPing} and {@link memjsPing}. */
export type MemcachedPingOptions = CheckOptions;

/**
 * Asks a memcached server for its version, in the text protocol, on a connection of its own that is kept open between
 * runs and destroyed by a run that fails. It needs no client library, and no server older or newer speaks otherwise; one
 * that demands authentication refuses it.
 *
 * - pass: the server told its version.
 * - warn: never.
 * - fail: it answered something else, refused or broke the connection, or did not answer before the timeout.
 *
 * Suggested impact: `degraded`, for a cache. Cost: one command of nine bytes per run, one server connection, and a new
 * connection per run while the server is down.
 * @throws OptionError (`HALE_OPTION_INVALID`) for a bad address
 */
export function memcachedPing(address: TcpAddress, options: MemcachedPingOptions = {}): Check {
  const resolved = tcpAddressOption('memcachedPing.address', address);
  const connection = createReservedConnection(lineDriver(resolved));
  return {
    componentType: 'datastore',
    measurement: 'responseTime',
    impact: 'degraded',
    ...options,
    run: (signal) => connection.use(askVersion, signal),
    dispose: () => connection.close(),
  };
}

async function askVersion(connection: LineConnection): Promise<void> {
  const answer = await connection.ask('version');
  if (answer.startsWith('VERSION ')) return;
  throw new Error(`version was answered with ${describe(answer)}`);
}

/** A connection on which one line asks and one line answers. */
interface LineConnection {
  readonly socket: Socket;
  opened(): Promise<string>;
  ask(line: string): Promise<string>;
}

/** No answer to `version` is longer than a few words. */
const MAX_LINE = 1024;

const lineDriver = (address: ResolvedTcpAddress): ConnectionDriver<LineConnection> => ({
  create: (onLost) => openLines(address, onLost),
  connect: (connection) => connection.opened(),
  destroy: (connection) => connection.socket.destroy(),
});

function openLines({ target, label }: ResolvedTcpAddress, onLost: () => void): LineConnection {
  const socket = connect(target);
  let received = '';
  let waiting: { resolve(line: string): void; reject(error: Error): void } | undefined;
  const wait = () =>
    new Promise<string>((resolve, reject) => {
      waiting = { resolve, reject };
    });
  const answer = (line: string) => {
    received = '';
    waiting?.resolve(line);
    waiting = undefined;
  };
  const lose = (problem: string, cause?: unknown) => {
    waiting?.reject(new Error(`${label} ${problem}`, { cause }));
    waiting = undefined;
    onLost();
  };
  // Listeners stay for good: an error that comes late would end the process.
  socket.on('error', (error) => lose('refused or broke the connection', error));
  socket.on('close', () => lose('closed the connection'));
  socket.on('connect', () => answer(''));
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    const end = received.indexOf('\r\n');
    if (waiting === undefined || (end === -1 && received.length > MAX_LINE)) {
      lose('sent what nobody asked for');
    } else if (end !== -1) answer(received.slice(0, end));
  });
  return {
    socket,
    opened: wait,
    ask: (line) => {
      socket.write(`${line}\r\n`);
      return wait();
    },
  };
}

/** The part of a `Client` of memjs (1) that {@link memjsPing} uses. */
export interface MemjsClientLike {
  readonly servers: readonly unknown[];
  /** Calls back once for each server. */
  stats(callback: (error: Error | null, server: string, stats: unknown) => void): void;
}

/**
 * Asks every server of a memjs client for its statistics, on the client's own connections.
 *
 * - pass: all answered.
 * - warn: some did not; code `servers_away`. Their keys are misses, the others are served.
 * - fail: none answered, or one neither answered nor was given up by the client before the timeout, which is 2000 ms here
 *   by default: memjs itself gives up connecting after 1000 ms.
 *
 * Suggested impact: `degraded`. Cost: one command per server and run, some fifty short lines each as an answer.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no client
 */
export function memjsPing(client: MemjsClientLike, options: MemcachedPingOptions = {}): Check {
  if (typeof client?.stats !== 'function' || !Array.isArray(client.servers)) {
    throw new OptionError('memjsPing.client', 'a Client of memjs', client);
  }
  return {
    componentType: 'datastore',
    measurement: 'servers',
    impact: 'degraded',
    timeoutMs: 2_000,
    ...options,
    run: (signal) => askServers(client, signal),
  };
}

/** What went wrong with each server that said something: null for an answer. */
type Answers = ReadonlyMap<string, unknown>;

async function askServers(client: MemjsClientLike, signal: AbortSignal): Promise<CheckResult> {
  signal.throwIfAborted();
  const servers = client.servers.length;
  const answers = new Map<string, unknown>();
  const all = new Promise<void>((resolve) => {
    if (servers === 0) resolve();
    client.stats((error, server) => {
      answers.set(server, error);
      if (answers.size >= servers) resolve();
    });
  });
  const silence = () =>
    new Error(judge(answers, servers).output ?? 'no answer', { cause: signal.reason });
  await untilAborted(all, signal, silence);
  return judge(answers, servers);
}

function judge(answers: Answers, servers: number): CheckResult {
  const failed = [...answers].filter(([, error]) => error !== null && error !== undefined);
  const answered = answers.size - failed.length;
  const observed = { observedValue: { answered, servers }, observedUnit: 'servers' };
  if (answered === servers && servers > 0) return { status: 'pass', ...observed };
  const reasons = failed.map(([server, error]) => `, ${server}: ${errorText(error)}`);
  const output = `${answered} of ${servers} servers answered${reasons.join('')}`;
  if (answered === 0) return { status: 'fail', output, ...observed };
  return { status: 'warn', code: 'servers_away', output, ...observed };
}
