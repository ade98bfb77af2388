import type { Server } from 'node:http';
import type { Board } from '../core/board.js';
import type { Clock } from '../core/clock.js';
import { DEFAULTS } from '../core/defaults.js';
import type { Logger } from '../core/logger.js';
import type { ResolvedShutdown } from '../core/resolve-options.js';
import { type DrainHooks, type DrainStage, createDrainHooks } from './drain-hooks.js';
import { type Drain, type DrainStep, createDrain } from './drain.js';
import { type InFlight, createInFlight } from './in-flight.js';
import { type TrackedServer, trackServer } from './tracked-server.js';

export interface ShutdownOptions {
  readonly clock: Clock;
  readonly board: Board;
  readonly logger: Logger;
  readonly redact: (text: string) => string;
  readonly options: ResolvedShutdown;
  /** Called with the count after each change of what is in flight. */
  onInFlight(count: number): void;
  /** Called at once when the drain begins. */
  onBegin(): void;
}

/** Everything that takes part in the end of the process. */
export interface Shutdown {
  readonly drain: Drain;
  readonly hooks: DrainHooks;
  readonly inFlight: InFlight;
  /** Lets a server take part; the returned function takes it out again. */
  addServer(server: Server): () => void;
  /** Takes hale's listeners off every server. */
  dispose(): void;
}

/** Puts the parts of the drain together. */
export function createShutdown(given: ShutdownOptions): Shutdown {
  const { clock, board, logger, redact, options } = given;
  const inFlight = createInFlight({ clock, board, onChange: (count) => given.onInFlight(count) });
  const hooks = createDrainHooks({ logger, redact });
  const servers = new Map<Server, TrackedServer>();
  const drain = createDrain({
    clock,
    board,
    logger,
    // Without a server nobody needs to learn that traffic should go elsewhere.
    propagationDelayMs: () =>
      options.propagationDelayMs ??
      (servers.size === 0 ? 0 : Math.min(DEFAULTS.propagationDelayMs, options.deadlineMs / 2)),
    deadlineMs: options.deadlineMs,
    crashDeadlineMs: options.crashDeadlineMs,
    hasHooks: () => hooks.size > 0,
    onBegin() {
      for (const server of servers.values()) server.startDraining();
      given.onBegin();
    },
    steps: {
      in_flight: inFlightStep(servers, inFlight),
      consumers: hookStep(hooks, 'consumers'),
      closers: hookStep(hooks, 'closers'),
      lease_release: hookStep(hooks, 'lease_release'),
    },
  });
  return {
    drain,
    hooks,
    inFlight,
    addServer(server) {
      const tracked = servers.get(server) ?? trackServer(server, { clock, inFlight, redact });
      servers.set(server, tracked);
      return () => {
        if (servers.delete(server)) tracked.release();
      };
    },
    dispose() {
      for (const server of servers.values()) server.release();
      servers.clear();
    },
  };
}

function inFlightStep(servers: ReadonlyMap<Server, TrackedServer>, inFlight: InFlight): DrainStep {
  return {
    async run() {
      await Promise.all(Array.from(servers.values(), (server) => server.stopAccepting()));
      await inFlight.whenIdle();
    },
    open: () => [
      ...inFlight.open(),
      ...Array.from(servers.values(), (server) => server.open()).flat(),
    ],
    cut() {
      for (const server of servers.values()) server.cut();
    },
  };
}

function hookStep(hooks: DrainHooks, stage: DrainStage): DrainStep {
  return {
    run: (signal) => hooks.run(stage, signal),
    open: () => hooks.open(stage),
    // The signal has aborted; the process ends without waiting for them.
    cut() {},
  };
}
