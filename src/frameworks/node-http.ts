import type { Server } from 'node:http';
import type { Http2SecureServer, Http2Server } from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import { OptionError } from '../core/errors.js';
import { checkDrains } from '../core/server-timeouts.js';
import { objectOption } from '../core/validate.js';
import type { DrainableServer, DrainsOptions } from '../engine/drain-targets.js';
import { type MountOptions, type MountableHealth } from '../probe/mount.js';
import { interceptProbes, mountOnHttp } from '../probe/mount-http.js';

/** A server of Node.js: http, https or http2. */
export type NodeServer = Server | HttpsServer | Http2Server | Http2SecureServer;

/** What {@link attachHealth} uses of `Health`. */
export interface NodeHttpHealth extends MountableHealth {
  drains(server: DrainableServer, options?: DrainsOptions): () => void;
}

/** Options of {@link attachHealth}. */
export interface NodeHttpOptions extends MountOptions {
  /** How the server takes part in the drain; `false` leaves it out. @defaultValue {} */
  drains?: DrainsOptions | false;
}

/**
 * Answers probes on the port of a server before any of its listeners, counts its requests in flight and lets it take
 * part in the drain. Call it before the server listens; the returned function takes everything back.
 * @throws OptionError when it is no such server, or on a bad option.
 */
export function attachHealth(
  server: NodeServer,
  health: NodeHttpHealth,
  options: NodeHttpOptions = {},
): () => void {
  checkServer(server);
  const { drains = {}, ...mount } = objectOption('attachHealth', options);
  checkDrains(drains);
  const answer = mountOnHttp(health, mount);
  const release = drains === false ? undefined : health.drains(server, drains);
  const restore = interceptProbes(server, answer);
  return () => {
    restore();
    release?.();
  };
}

function checkServer(server: NodeServer): void {
  const { emit, listen } = (server ?? {}) as Partial<NodeServer>;
  if (typeof emit === 'function' && typeof listen === 'function') return;
  throw new OptionError('attachHealth (a server)', 'an http, https or http2 server', server);
}
