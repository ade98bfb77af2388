import { connect } from 'node:net';
import type { Check, CheckOptions } from '../core/check.js';
import { OptionError, describe } from '../core/errors.js';
import { type ResolvedTcpAddress, type TcpAddress, tcpAddressOption } from '../core/tcp-address.js';
import { integerOption } from '../core/validate.js';

export type { TcpAddress };

/** Options of {@link tcpConnect}. */
export interface TcpConnectOptions extends CheckOptions {
  /** Sent once connected, for servers that wait to be spoken to. */
  send?: string | Uint8Array;
  /** What the server's bytes must begin with, or what they must match as Latin-1 text. */
  expect?: string | Uint8Array | RegExp;
  /** Bytes that are waited for while `expect` is a pattern that does not match yet. @defaultValue 1024 */
  maxBytes?: number;
}

interface Settings extends ResolvedTcpAddress {
  readonly send: string | Uint8Array | undefined;
  readonly judge: Judge | undefined;
}

/** What the bytes so far mean: right, wrong, or too few to tell. */
type Judge = (received: Uint8Array) => boolean | undefined;

/**
 * Opens a connection of its own, optionally waits for a banner, and destroys the connection.
 *
 * - pass: the connection was opened, and what the server sent is what `expect` says.
 * - warn: never.
 * - fail: the connection was refused or reset, the server sent something else or closed before it had sent enough, or
 *   all this took longer than the timeout.
 *
 * Suggested impact: `critical` or `degraded`, as the server deserves. Cost: one connection per run; some servers log
 * every connection that says nothing.
 * @throws OptionError (`HALE_OPTION_INVALID`) for a bad address or an option out of range
 */
export function tcpConnect(address: TcpAddress, options: TcpConnectOptions = {}): Check {
  const { send, expect, maxBytes = 1024, ...checkOptions } = options;
  const resolved = tcpAddressOption('tcpConnect.address', address);
  integerOption('tcpConnect.maxBytes', maxBytes, { min: 1, max: 1_048_576 });
  if (send !== undefined) bytesOption('tcpConnect.send', send);
  const judge = expect === undefined ? undefined : createJudge(expect, maxBytes);
  return {
    componentType: 'component',
    measurement: 'responseTime',
    ...checkOptions,
    run: (signal) => exchange({ ...resolved, send, judge }, signal),
  };
}

function bytesOption(option: string, value: string | Uint8Array): Uint8Array {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (bytes instanceof Uint8Array && bytes.length > 0) return bytes;
  throw new OptionError(option, 'a text or bytes, not empty', value);
}

function createJudge(expected: string | Uint8Array | RegExp, maxBytes: number): Judge {
  if (expected instanceof RegExp) {
    // With these flags a pattern begins where its last match ended.
    const pattern = new RegExp(expected.source, expected.flags.replace(/[gy]/g, ''));
    return (received) => {
      if (pattern.test(latin1(received))) return true;
      return received.length >= maxBytes ? false : undefined;
    };
  }
  const prefix = bytesOption('tcpConnect.expect', expected);
  return (received) => {
    if (!received.every((byte, at) => at >= prefix.length || byte === prefix[at])) return false;
    return received.length >= prefix.length ? true : undefined;
  };
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** Settles once, and leaves neither socket nor listener. */
function exchange({ target, label, send, judge }: Settings, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect(target);
    let received = new Uint8Array(0);
    let connected = false;
    const finish = (settle: () => void) => {
      signal.removeEventListener('abort', abort);
      settle();
      socket.destroy();
    };
    const fail = (problem: string, cause?: unknown) =>
      finish(() => reject(new Error(`${label} ${problem}`, { cause })));
    const abort = () => fail(waitedFor(connected, received), signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    // Never taken off: an error that comes late would end the process.
    socket.on('error', (error) => fail(connected ? 'broke the connection' : 'refused', error));
    socket.on('close', () => fail(`closed after ${received.length} bytes`));
    socket.on('connect', () => {
      connected = true;
      if (send !== undefined) socket.write(send);
      if (judge === undefined) finish(resolve);
    });
    if (judge === undefined) return;
    socket.on('data', (chunk) => {
      received = joined(received, chunk);
      const verdict = judge(received);
      if (verdict === true) finish(resolve);
      if (verdict === false) fail(`sent ${describe(latin1(received))}, which is not expected`);
    });
  });
}

function waitedFor(connected: boolean, received: Uint8Array): string {
  if (!connected) return 'did not accept the connection';
  return `sent ${received.length} bytes, too few to judge`;
}

function joined(before: Uint8Array, after: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(before.length + after.length);
  all.set(before);
  all.set(after, before.length);
  return all;
}
