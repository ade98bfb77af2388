import { untilAborted } from './abort.js';

/** Asks a client one question and waits for its answer, no longer than the signal lets it. */
export type RoundTrip<C extends object, T> = (
  client: C,
  signal: AbortSignal,
  noAnswer: () => Error,
) => Promise<T>;

/**
 * For a question that cannot be taken back, on a client that keeps it while it has no connection: a run whose
 * forerunner is still unanswered first waits for that answer, so that one question at most is under way however long
 * the server is away. Then it asks its own: a late answer to an old question says nothing about the server now.
 * @param ask - sends one question; its promise settles with the answer or once the client gives it up, which a client
 *   that heeds the signal does at once
 */
export function createRoundTrip<C extends object, T>(
  ask: (client: C, signal: AbortSignal) => Promise<T>,
): RoundTrip<C, T> {
  const unanswered = new WeakMap<C, Promise<unknown>>();
  const askOnce = (client: C, signal: AbortSignal): Promise<T> => {
    const forget = () => void unanswered.delete(client);
    const question = (async () => ask(client, signal))();
    unanswered.set(client, question.then(forget, forget));
    return question;
  };
  return async (client, signal, noAnswer) => {
    signal.throwIfAborted();
    for (let earlier; (earlier = unanswered.get(client)) !== undefined;) {
      await untilAborted(earlier, signal, noAnswer);
    }
    return untilAborted(askOnce(client, signal), signal, noAnswer);
  };
}
