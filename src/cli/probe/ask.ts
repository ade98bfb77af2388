import { type Socket, connect, isIP } from 'node:net';
import type { Clock } from '../../core/clock.js';
import type { ProbeCall } from './arguments.js';
import { askFile } from './ask-file.js';
import { createAnswerReader } from './http-answer.js';
import type { Address, ProbeTarget } from './target.js';
import { type ProbeResult, failed, judgeHttp } from './verdict.js';

type HttpTarget = Extract<ProbeTarget, { kind: 'http' }>;

/** Ends a probe; later calls change nothing. */
type Settle = (result: ProbeResult) => void;

interface Open {
  ended: boolean;
  connection: { destroy(): void } | undefined;
}

/** Asks once over a connection of its own; never rejects, and leaves no timer and no socket. */
export async function ask(
  call: ProbeCall,
  clock: Pick<Clock, 'setTimeout' | 'wallNow'>,
): Promise<ProbeResult> {
  if (call.target.kind === 'file') return askFile(call.target.address.path, clock.wallNow());
  const open: Open = { ended: false, connection: undefined };
  const result = await new Promise<ProbeResult>((settle) => {
    const timer = clock.setTimeout(
      () => settle(failed(`no answer within ${call.timeoutMs} ms from ${nameOf(call.target)}`)),
      call.timeoutMs,
      { keepsProcessAlive: true },
    );
    const end: Settle = (ended) => {
      timer.clear();
      settle(ended);
    };
    begin(call, open, end).catch((error: unknown) =>
      end(failed(explain(error as Error, call.target))),
    );
  });
  open.ended = true;
  open.connection?.destroy();
  return result;
}

async function begin({ target, insecure }: ProbeCall, open: Open, settle: Settle): Promise<void> {
  if (target.kind === 'grpc') {
    // node:http2 takes as long to load as everything else together.
    const { askGrpc } = await import('./ask-grpc.js');
    const fail = (error: Error): void => settle(failed(explain(error, target)));
    open.connection = askGrpc({ target, insecure, settle, fail });
    if (open.ended) open.connection.destroy();
    return;
  }
  const secure = target.kind === 'http' && target.tls;
  const socket = secure ? await connectTls(target.address, insecure) : connect(target.address);
  open.connection = socket;
  socket.on('error', (error) => settle(failed(explain(error, target))));
  if (open.ended) socket.destroy();
  else if (target.kind === 'http') exchange(socket, target, settle);
  else socket.once('connect', () => settle({ pass: true, line: 'pass connected' }));
}

async function connectTls(address: Address, insecure: boolean): Promise<Socket> {
  // Most of the time of a start, and rarely needed.
  const tls = await import('node:tls');
  const servername = 'host' in address && isIP(address.host) === 0 ? address.host : '';
  return tls.connect({ ...address, servername, rejectUnauthorized: !insecure });
}

function exchange(socket: Socket, { path, authority }: HttpTarget, settle: Settle): void {
  const reader = createAnswerReader();
  const attempt = (read: () => ReturnType<typeof reader.push>): void => {
    try {
      const answer = read();
      if (answer !== undefined) settle(judgeHttp(answer));
    } catch (error) {
      settle(failed((error as Error).message));
    }
  };
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => attempt(() => reader.push(text)));
  socket.on('end', () => attempt(() => reader.end()));
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${authority}\r\nUser-Agent: hale-probe\r\n` +
      'Accept: application/health+json, application/json;q=0.9\r\nConnection: close\r\n\r\n',
  );
}

function explain(error: NodeJS.ErrnoException, target: ProbeTarget): string {
  const { code, message } = firstOf(error);
  const advice = /CERT|SELF_SIGNED|SIGNATURE/.test(code ?? '')
    ? '; --insecure takes any certificate'
    : '';
  return `cannot ask ${nameOf(target)}: ${message}${code === undefined || message.includes(code) ? '' : ` (${code})`}${advice}`;
}

/** A host with several addresses fails with one error for each. */
function firstOf(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  return error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error;
}

function nameOf({ address }: ProbeTarget): string {
  if ('path' in address) return address.path;
  return address.host.includes(':')
    ? `[${address.host}]:${address.port}`
    : `${address.host}:${address.port}`;
}
