import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Diagnosis } from '../../src/core/diagnosis.js';
import { eventually } from './program.js';

/** A reader of the events of the diagnosis. */
export interface EventReader {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Every document so far. */
  readonly documents: readonly Diagnosis[];
  readonly ended: boolean;
  /** Resolves with the first document, past ones included, for which it holds. */
  until(
    what: string,
    holds: (document: Diagnosis) => boolean,
    withinMs?: number,
  ): Promise<Diagnosis>;
  /** Stops reading, and begins again. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Asks for the events; resolves with the answer, whatever it is. */
export function openEvents(
  port: number,
  headers: Readonly<Record<string, string>> = {},
  path = '/healthz/status/events',
): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, headers, agent: false });
    outgoing.on('response', (response) => resolve(readerOf(response, () => outgoing.destroy())));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function readerOf(response: IncomingMessage, close: () => void): EventReader {
  const documents: Diagnosis[] = [];
  // Joined only when an event is whole: documents can be large.
  let chunks: string[] = [];
  let ended = false;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    chunks.push(chunk);
    if (!`${chunks.at(-2)?.slice(-1) ?? ''}${chunk}`.includes('\n\n')) return;
    const blocks = chunks.join('').split('\n\n');
    chunks = [blocks.pop() ?? ''];
    for (const block of blocks) {
      const data = /^event: diagnosis\ndata: (.*)$/.exec(block)?.[1];
      if (data !== undefined) documents.push(JSON.parse(data) as Diagnosis);
    }
  });
  response.on('error', () => {});
  response.on('close', () => (ended = true));
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    documents,
    get ended() {
      return ended;
    },
    until: (what, holds, withinMs) =>
      eventually(`an event ${what}`, () => documents.find(holds), withinMs),
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close,
  };
}
