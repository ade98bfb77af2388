import { sharedState } from './shared-state.js';

/** What tells that it has closed. */
export interface Closing {
  once(event: 'close', listener: () => void): unknown;
}

/** For each connection, what is to be called for the responses on it that are not over. */
const waiting = sharedState('open-responses', () => new WeakMap<object, Set<() => void>>());

/**
 * Calls `done` once when a response is over: it was sent, or its connection has gone. Node.js does not tell the second
 * to a response over HTTP/1 that waits for another on its connection (RFC 9112, section 9.3.2: pipelining).
 */
export function onceOver(response: Closing, done: () => void): void {
  const connection = connectionOf(response);
  const others = connection === undefined ? undefined : responsesOn(connection);
  const over = (): void => {
    if (called) return;
    called = true;
    others?.delete(over);
    done();
  };
  let called = false;
  others?.add(over);
  response.once('close', over);
}

function connectionOf(response: object): Closing | undefined {
  const { req } = response as { req?: { httpVersionMajor?: number; socket?: Closing | null } };
  // Under HTTP/2 it is a stand-in, and each stream tells for itself.
  return req?.httpVersionMajor === 1 ? (req.socket ?? undefined) : undefined;
}

function responsesOn(connection: Closing): Set<() => void> {
  const known = waiting.get(connection);
  if (known !== undefined) return known;
  const responses = new Set<() => void>();
  waiting.set(connection, responses);
  connection.once('close', () => {
    for (const over of [...responses]) over();
  });
  return responses;
}
