import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AccessGuard } from './access-guard.js';
import type { EventStreams } from './diagnosis/event-streams.js';
import type { ProbeHandler } from './handler.js';
import { type Pace, oneStep } from './pace.js';
import { type ProbeResponse, refusal } from './prepared.js';

export interface ExchangeOptions {
  readonly handler: ProbeHandler;
  readonly guard: AccessGuard | undefined;
  /** Takes the requests for events, after the guard. */
  readonly events?: EventStreams | undefined;
  /** Sends what is large. @defaultValue at once */
  readonly pace?: Pace | undefined;
  /** Marks a connection whose answer takes a while. */
  readonly setBusy: (socket: Socket, busy: boolean) => void;
  /** An error of hale's own; the request has been answered 500. */
  readonly onError: (error: unknown) => void;
}

export type Exchange = (request: IncomingMessage, response: ServerResponse) => void;

const FAILED = refusal(500, 'internal error');

/** Joins the handler to node:http. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { handler, guard, events, pace, setBusy, onError } = options;
  function answerOrFail(
    request: IncomingMessage,
    response: ServerResponse,
  ): ProbeResponse | Promise<ProbeResponse> | 'taken' {
    try {
      return guard?.(request) ?? events?.take(request, response) ?? handler.handle(request);
    } catch (error) {
      onError(error);
      return FAILED;
    }
  }

  return (request, response) => {
    if (hasBody(request.rawHeaders)) endAfter(response);
    const answer = answerOrFail(request, response);
    if (answer === 'taken') {
      // An open stream is no idle connection.
      setBusy(request.socket, true);
      return;
    }
    if (!(answer instanceof Promise)) {
      send(response, answer);
      return;
    }
    setBusy(request.socket, true);
    const finish = (settled: ProbeResponse): void => {
      setBusy(request.socket, false);
      send(response, settled);
    };
    const settle = (settled: ProbeResponse): void => {
      // Handing megabytes to the system takes a millisecond or two, and many may have waited for the same.
      if (settled.bytes === undefined || pace === undefined) finish(settled);
      else
        pace.run(
          oneStep(() => finish(settled)),
          { done() {}, failed: onError },
        );
    };
    answer.then(settle, (error: unknown) => {
      onError(error);
      settle(FAILED);
    });
  };
}

/** Sends a prepared answer. */
export function send(response: ServerResponse, answer: ProbeResponse): void {
  if (response.destroyed) return;
  const { status, headers, bytes } = answer;
  // The flat array is written as it is; it is declared mutable but not changed.
  response.writeHead(status, headers as string[]);
  // What is small as a string, so that it leaves in one write with the headers.
  response.end(bytes ?? answer.body);
}

/** A probe has no body; one that is sent is not read, so the connection cannot be used again. */
function endAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  response.once('finish', () => response.socket?.destroySoon());
}

/** Looked up in the raw list: building the header object would cost every probe. */
function hasBody(rawHeaders: readonly string[]): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 14 && name.toLowerCase() === 'content-length') {
      if (rawHeaders[index + 1] !== '0') return true;
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return true;
  }
  return false;
}
