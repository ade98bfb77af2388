import type { Server } from 'node:http';
import { OptionError } from '../core/errors.js';
import { replaceMethod } from '../core/replace-method.js';
import { checkDrains } from '../core/server-timeouts.js';
import { objectOption } from '../core/validate.js';
import type { DrainableServer, DrainsOptions } from '../engine/drain-targets.js';
import { joinServers } from '../probe/listening-app.js';
import { type MountOptions, type MountableHealth } from '../probe/mount.js';
import { type NodeRequest, type NodeResponse, mountOnHttp } from '../probe/mount-http.js';

/** What {@link attachHealth} uses of an Express application: 4 and 5. */
export interface ExpressLike {
  listen(...args: never[]): Server;
}

/** What {@link attachHealth} uses of `Health`. */
export interface ExpressHealth extends MountableHealth {
  drains(server: DrainableServer, options?: DrainsOptions): () => void;
}

/** Options of {@link attachHealth}. */
export interface ExpressOptions extends MountOptions {
  /** How the server of `app.listen()` takes part in the drain; `false` leaves it out. @defaultValue {} */
  drains?: DrainsOptions | false;
}

interface ExpressInternals extends ExpressLike {
  /** Where every request enters the application, from whichever server. */
  handle(request: NodeRequest, response: NodeResponse, next?: unknown): unknown;
}

/**
 * Answers probes before any middleware of an Express application, wherever this call stands among them, and lets the
 * server that `app.listen()` makes take part in the drain, its requests counted. A server of your own is given to
 * `health.drains()`. The returned function takes everything back.
 * @throws OptionError when it is no Express application, or on a bad option.
 */
export function attachHealth(
  app: ExpressLike,
  health: ExpressHealth,
  options: ExpressOptions = {},
): () => void {
  const express = expressApp(app);
  const { drains = {}, ...mount } = objectOption('attachHealth', options);
  checkDrains(drains);
  const answer = mountOnHttp(health, mount);
  const undo = [
    replaceMethod(
      express,
      'handle',
      (handle) =>
        function enter(this: unknown, request, ...rest) {
          return answer(request, rest[0])
            ? undefined
            : Reflect.apply(handle, this, [request, ...rest]);
        },
    ),
  ];
  if (drains !== false)
    undo.push(joinServers(express, answer, (server) => health.drains(server, drains)));
  return () => {
    for (const step of undo.splice(0)) step();
  };
}

function expressApp(app: ExpressLike): ExpressInternals {
  const { handle, listen } = (app ?? {}) as Partial<ExpressInternals>;
  if (typeof app === 'function' && typeof handle === 'function' && typeof listen === 'function')
    return app as ExpressInternals;
  throw new OptionError('attachHealth (an app)', 'an application of Express', app);
}
