import { OptionError } from '../core/errors.js';
import { checkDrains } from '../core/server-timeouts.js';
import { objectOption } from '../core/validate.js';
import type { DrainHook, DrainHookOptions } from '../engine/drain-hooks.js';
import type { DrainableServer, DrainsOptions } from '../engine/drain-targets.js';
import { interceptProbes, mountOnHttp } from '../probe/mount-http.js';
import type { MountOptions, MountableHealth } from '../probe/mount.js';

export { type CheckDecorator, type CheckMethod, HealthCheckOf } from './nest/decorator.js';
export { type IndicatorEntry, type IndicatorResult, fromIndicator } from './nest/indicator.js';
export {
  HEALTH,
  type HealthDynamicModule,
  type ModuleHealth,
  type NestCore,
  type NestInstance,
  type NestModule,
  type NestModules,
  healthModule,
} from './nest/module.js';

/** What {@link attachHealth} uses of a Nest application: 10 and 11, on Express or Fastify. */
export interface NestLike {
  getHttpServer(): unknown;
  close(): Promise<void>;
}

/** What {@link attachHealth} uses of `Health`. */
export interface NestHealth extends MountableHealth {
  drains(server: DrainableServer, options?: DrainsOptions): () => void;
  onShutdown(name: string, hook: DrainHook, options?: DrainHookOptions): () => void;
}

/** Options of {@link attachHealth}. */
export interface NestOptions extends MountOptions {
  /** How the server takes part in the drain; `false` leaves it and `app.close()` to you. @defaultValue {} */
  drains?: DrainsOptions | false;
}

/**
 * Answers probes before any middleware, guard, pipe or global prefix of a Nest application, counts its requests in
 * flight, lets its server take part in the drain, and calls `app.close()` once they have ended, which runs its
 * lifecycle hooks. Call it before `app.listen()`. The returned function takes everything back.
 * @throws OptionError when it is no application with an HTTP server, or on a bad option.
 */
export function attachHealth(
  app: NestLike,
  health: NestHealth,
  options: NestOptions = {},
): () => void {
  const server = serverOf(app);
  const { drains = {}, ...mount } = objectOption('attachHealth', options);
  checkDrains(drains);
  const undo = [interceptProbes(server, mountOnHttp(health, mount))];
  if (drains !== false) {
    undo.push(health.drains(server, drains));
    undo.push(health.onShutdown('nest', () => app.close()));
  }
  return () => {
    for (const step of undo.splice(0)) step();
  };
}

type NestServer = DrainableServer & Parameters<typeof interceptProbes>[0];

function serverOf(app: NestLike): NestServer {
  const { getHttpServer, close } = (app ?? {}) as Partial<NestLike>;
  const server =
    typeof close === 'function' && typeof getHttpServer === 'function'
      ? getHttpServer.call(app)
      : undefined;
  const { emit } = (server ?? {}) as Partial<NestServer>;
  if (typeof emit === 'function') return server as NestServer;
  throw new OptionError('attachHealth (an app)', 'a Nest application with an HTTP server', app);
}
