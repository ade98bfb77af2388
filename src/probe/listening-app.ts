import type { Server } from 'node:http';
import { replaceMethod } from '../core/replace-method.js';
import { type InterceptableServer, interceptProbes } from './mount-http.js';
import type { AnswerProbe } from './node-arrivals.js';

/** A framework whose `listen()` makes the server. */
export interface ListeningApp {
  listen(...args: never[]): Server;
}

/**
 * Lets every server that `app.listen()` makes join, and answers probes on it before anybody hears of the request, also
 * who counts it. The returned function takes all of it back.
 */
export function joinServers(
  app: ListeningApp,
  answer: AnswerProbe,
  join: (server: Server) => () => void,
): () => void {
  const undo: (() => void)[] = [];
  const restore = replaceMethod(
    app,
    'listen',
    (before) =>
      function listen(this: unknown, ...args) {
        const server: Server = Reflect.apply(before, this, args);
        undo.push(join(server), interceptProbes(server as InterceptableServer, answer));
        return server;
      },
  );
  return () => {
    restore();
    for (const step of undo.splice(0)) step();
  };
}
