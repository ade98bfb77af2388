import type { Server as HttpServer } from 'node:http';
import type { Http2SecureServer, Http2Server } from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import type { Clock, Random } from '../core/clock.js';
import { OptionError } from '../core/errors.js';
import type { Logger } from '../core/logger.js';
import type { ServerTimeoutOptions } from '../core/server-timeouts.js';
import type { DrainTarget } from './drain-target.js';
import type { InFlight } from './in-flight.js';
import { settleTimeouts } from './server-timeouts.js';
import type { Streams } from './streams.js';
import { trackHttp2Server } from './tracked-http2.js';
import { trackServer } from './tracked-server.js';
import { type WebSocketServerLike, trackWebSocketServer } from './tracked-web-sockets.js';

/** A server that can take part in the drain; which kind it is, hale finds out. */
export type DrainableServer =
  | HttpServer
  | HttpsServer
  | Http2Server
  | Http2SecureServer
  | WebSocketServerLike;

/** How a server takes part in the drain. */
export type DrainsOptions = Partial<ServerTimeoutOptions>;

/** Everything with clients, driven as one. */
export interface DrainTargets {
  readonly size: number;
  /**
   * Lets a server take part; the returned function takes it out again, once all have who let it.
   * @throws OptionError when it is none of the kinds known.
   */
  add(server: DrainableServer, options?: DrainsOptions): () => void;
  startDraining(): void;
  stopAccepting(windowMs: number): Promise<void>;
  gone(): Promise<void>;
  open(): readonly string[];
  cut(): Promise<void>;
  dispose(): void;
}

export interface DrainTargetsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly inFlight: InFlight;
  readonly streams: Streams;
  readonly redact: (text: string) => string;
  /** Applies to every server that does not say otherwise. */
  readonly loadBalancerIdleTimeoutMs?: number;
}

interface Joined {
  readonly target: DrainTarget;
  /** One for each time the server was added. */
  readonly holders: Set<() => void>;
}

/** Creates it with the streams alone. */
export function createDrainTargets(options: DrainTargetsOptions): DrainTargets {
  const servers = new Map<DrainableServer, Joined>();
  const all = (): DrainTarget[] => [
    ...Array.from(servers.values(), ({ target }) => target),
    options.streams,
  ];
  return {
    get size() {
      return servers.size;
    },
    add(server, given) {
      const joined = servers.get(server) ?? {
        target: createTarget(server, options, given),
        holders: new Set(),
      };
      servers.set(server, joined);
      const release = (): void => {
        const { holders, target } = joined;
        if (!holders.delete(release) || holders.size > 0) return;
        if (servers.get(server) === joined) servers.delete(server);
        target.release();
      };
      joined.holders.add(release);
      return release;
    },
    startDraining() {
      for (const target of all()) target.startDraining();
    },
    async stopAccepting(windowMs) {
      await Promise.all(all().map((target) => target.stopAccepting(windowMs)));
    },
    async gone() {
      const results = await Promise.allSettled(all().map((target) => target.gone()));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
    open: () => all().flatMap((target) => target.open()),
    async cut() {
      await Promise.all(all().map((target) => target.cut()));
    },
    dispose() {
      for (const target of all()) target.release();
      servers.clear();
    },
  };
}

function createTarget(
  server: DrainableServer,
  options: DrainTargetsOptions,
  given: DrainsOptions = {},
): DrainTarget {
  if (isWebSocketServer(server)) return trackWebSocketServer(server, options);
  if (isHttp2Server(server)) return trackHttp2Server(server, options);
  if (!isHttpServer(server)) {
    const kinds = 'an http, https or http2 server, or a WebSocketServer of ws that tracks clients';
    throw new OptionError('drains (a server)', kinds, server);
  }
  const { loadBalancerIdleTimeoutMs: idleMs } = options;
  const base = idleMs === undefined ? {} : { loadBalancerIdleTimeoutMs: idleMs };
  settleTimeouts(server, { setTimeouts: true, ...base, ...given }, options.logger);
  return trackServer(server, options);
}

function isWebSocketServer(server: DrainableServer): server is WebSocketServerLike {
  return has(server, 'close') && (server as Partial<WebSocketServerLike>).clients instanceof Set;
}

function isHttp2Server(server: DrainableServer): server is Http2Server | Http2SecureServer {
  return has(server, 'updateSettings');
}

function isHttpServer(server: unknown): server is HttpServer {
  return has(server, 'closeIdleConnections');
}

function has(server: unknown, method: string): boolean {
  if (typeof server !== 'object' || server === null) return false;
  return typeof (server as Record<string, unknown>)[method] === 'function';
}
