import { OptionError } from '../core/errors.js';
import { checkDrains } from '../core/server-timeouts.js';
import { objectOption } from '../core/validate.js';
import type { DrainHook, DrainHookOptions } from '../engine/drain-hooks.js';
import type { DrainableServer, DrainsOptions } from '../engine/drain-targets.js';
import { type MountOptions, type MountableHealth } from '../probe/mount.js';
import {
  type AnswerProbe,
  type InterceptableServer,
  type NodeRequest,
  type NodeResponse,
  interceptProbes,
  mountOnHttp,
} from '../probe/mount-http.js';

/** A hook of Fastify that runs when a request has been routed. */
export type FastifyRequestHook = (
  request: { readonly raw: NodeRequest },
  reply: { readonly raw: NodeResponse; hijack(): unknown },
  done: () => void,
) => void;

/** What {@link attachHealth} uses of a Fastify instance: 4 and 5. */
export interface FastifyLike {
  readonly server: DrainableServer & InterceptableServer;
  addHook(name: 'onRequest', hook: FastifyRequestHook): unknown;
  close(): PromiseLike<unknown>;
}

/** What {@link attachHealth} uses of `Health`. */
export interface FastifyHealth extends MountableHealth {
  drains(server: DrainableServer, options?: DrainsOptions): () => void;
  onShutdown(name: string, hook: DrainHook, options?: DrainHookOptions): () => void;
}

/** Options of {@link attachHealth}. */
export interface FastifyOptions extends MountOptions {
  /** How the server takes part in the drain; `false` leaves it and `app.close()` to you. @defaultValue {} */
  drains?: DrainsOptions | false;
}

/**
 * Answers probes before any hook of a Fastify instance, counts its requests in flight, lets its server take part in the
 * drain, and calls `app.close()` once they have ended. Call it before `app.listen()`; it is no plugin, because a plugin
 * is loaded after the hooks around it. The returned function takes everything back.
 * @throws OptionError when it is no Fastify instance, or on a bad option.
 */
export function attachHealth(
  app: FastifyLike,
  health: FastifyHealth,
  options: FastifyOptions = {},
): () => void {
  checkApp(app);
  const { drains = {}, ...mount } = objectOption('attachHealth', options);
  checkDrains(drains);
  const answer = mountOnHttp(health, mount);
  const servers = new Set<unknown>();
  const undo: (() => void)[] = [];
  const adopt = (server: FastifyLike['server']): void => {
    servers.add(server);
    undo.push(interceptProbes(server, answer));
    if (drains !== false) undo.push(health.drains(server, drains));
  };
  let active = true;
  // First: an instance that listens takes no hook, and is left as it was.
  app.addHook('onRequest', (request, reply, done) => {
    if (!active) return done();
    const other = siblingOf(app.server, request.raw);
    if (other !== undefined && !servers.has(other)) adopt(other);
    answerHere(answer, request.raw, reply, done);
  });
  adopt(app.server);
  if (drains !== false) undo.push(health.onShutdown('fastify', () => app.close()));
  return () => {
    active = false;
    for (const step of undo.splice(0)) step();
  };
}

/** For what does not come through a server that is known: `app.inject()`, and the first request of another server. */
function answerHere(
  answer: AnswerProbe,
  request: NodeRequest,
  reply: Parameters<FastifyRequestHook>[1],
  done: () => void,
): void {
  if (answer(request, reply.raw)) reply.hijack();
  else done();
}

/** Fastify opens a second server when it listens on `localhost`, one for each family, and shows it to nobody. */
function siblingOf(
  server: FastifyLike['server'],
  { socket, httpVersionMajor }: NodeRequest,
): FastifyLike['server'] | undefined {
  // Under HTTP/2 the socket is a stand-in that throws once its session has gone.
  if (httpVersionMajor !== 1) return undefined;
  const { server: other } = socket as { server?: FastifyLike['server'] };
  return other?.constructor === server.constructor ? other : undefined;
}

function checkApp(app: FastifyLike): void {
  const { addHook, close, server } = (app ?? {}) as Partial<FastifyLike>;
  const isApp = typeof addHook === 'function' && typeof close === 'function';
  if (isApp && typeof server?.emit === 'function') return;
  throw new OptionError('attachHealth (an app)', 'an instance of Fastify', app);
}
