import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { OptionError } from '../core/errors.js';
import { replaceMethod } from '../core/replace-method.js';
import { checkDrains } from '../core/server-timeouts.js';
import { objectOption } from '../core/validate.js';
import type { DrainableServer, DrainsOptions } from '../engine/drain-targets.js';
import { joinServers } from '../probe/listening-app.js';
import { type MountOptions, type MountableHealth } from '../probe/mount.js';
import { mountOnHttp } from '../probe/mount-http.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** What {@link attachHealth} uses of a Koa application: 2 and 3. */
export interface KoaLike {
  callback(): Handler;
  listen(...args: never[]): Server;
}

/** What {@link attachHealth} uses of `Health`. */
export interface KoaHealth extends MountableHealth {
  drains(server: DrainableServer, options?: DrainsOptions): () => void;
}

/** Options of {@link attachHealth}. */
export interface KoaOptions extends MountOptions {
  /** How the server of `app.listen()` takes part in the drain; `false` leaves it out. @defaultValue {} */
  drains?: DrainsOptions | false;
}

/**
 * Answers probes before any middleware of a Koa application, and lets the server that `app.listen()` makes take part
 * in the drain, its requests counted. Call it before `app.listen()` or `app.callback()`; a server of your own is given
 * to `health.drains()`. The returned function takes everything back.
 * @throws OptionError when it is no Koa application, or on a bad option.
 */
export function attachHealth(
  app: KoaLike,
  health: KoaHealth,
  options: KoaOptions = {},
): () => void {
  checkApp(app);
  const { drains = {}, ...mount } = objectOption('attachHealth', options);
  checkDrains(drains);
  const answer = mountOnHttp(health, mount);
  let active = true;
  const undo = [
    replaceMethod(
      app,
      'callback',
      (callback) =>
        function entered(this: unknown) {
          const handle: Handler = Reflect.apply(callback, this, []);
          // A handler that was made stays with its server after this is taken back.
          return (request, response) =>
            active && answer(request, response) ? undefined : handle(request, response);
        },
    ),
    () => (active = false),
  ];
  if (drains !== false)
    undo.push(joinServers(app, answer, (server) => health.drains(server, drains)));
  return () => {
    for (const step of undo.splice(0)) step();
  };
}

function checkApp(app: KoaLike): void {
  const { callback, listen } = (app ?? {}) as Partial<KoaLike>;
  if (typeof callback === 'function' && typeof listen === 'function') return;
  throw new OptionError('attachHealth (an app)', 'an application of Koa', app);
}
