import type { Board } from '../core/board.js';
import type { Clock, Random } from '../core/clock.js';
import { DEFAULTS } from '../core/defaults.js';
import type { DrainProgress } from '../core/drain-progress.js';
import type { Logger } from '../core/logger.js';
import type { ResolvedShutdown } from '../core/resolve-options.js';
import { type DrainTargets, createDrainTargets } from './drain-targets.js';
import { type DrainHooks, type DrainStage, createDrainHooks } from './drain-hooks.js';
import { type Drain, type DrainStep, createDrain } from './drain.js';
import { type InFlight, createInFlight } from './in-flight.js';
import { type Streams, createStreams } from './streams.js';

export interface ShutdownOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly board: Board;
  readonly logger: Logger;
  readonly redact: (text: string) => string;
  readonly options: ResolvedShutdown;
  readonly loadBalancerIdleTimeoutMs?: number;
  /** Called with the count after each change of what is in flight. */
  onInFlight(count: number): void;
  /** Called at once when the drain begins. */
  onBegin(): void;
  /** Called as the drain gets on. */
  onProgress?(progress: DrainProgress): void;
}

/** Everything that takes part in the end of the process. */
export interface Shutdown {
  readonly drain: Drain;
  readonly hooks: DrainHooks;
  readonly inFlight: InFlight;
  readonly targets: DrainTargets;
  readonly streams: Streams;
  /** Everything that has not ended yet. */
  open(): readonly string[];
  /** Work that has not ended, or was cut; asked when all but the leases has had its time. */
  openWork(): readonly string[];
  /** Takes hale's listeners off every server. */
  dispose(): void;
}

/** Puts the parts of the drain together. */
export function createShutdown(given: ShutdownOptions): Shutdown {
  const { clock, board, logger, redact, options } = given;
  const inFlight = createInFlight({ clock, board, onChange: (count) => given.onInFlight(count) });
  const hooks = createDrainHooks({ logger, redact });
  const streams = createStreams(given);
  const targets = createDrainTargets({ ...given, inFlight, streams });
  const drain = createDrain({
    clock,
    board,
    logger,
    // Without a server nobody needs to learn that traffic should go elsewhere.
    propagationDelayMs: () =>
      options.propagationDelayMs ??
      (targets.size === 0 ? 0 : Math.min(DEFAULTS.propagationDelayMs, options.deadlineMs / 2)),
    deadlineMs: options.deadlineMs,
    crashDeadlineMs: options.crashDeadlineMs,
    hasHooks: () => hooks.size > 0,
    onBegin() {
      // Whatever a server makes of it, readiness is told.
      given.onBegin();
      targets.startDraining();
    },
    onProgress: (progress) => given.onProgress?.(progress),
    steps: {
      stop_accepting: {
        run: (_, limitMs) => targets.stopAccepting(limitMs),
        open: () => targets.open(),
        cut: () => targets.cut(),
      },
      in_flight: inFlightStep(targets, inFlight),
      consumers: hookStep(hooks, 'consumers'),
      closers: hookStep(hooks, 'closers'),
      lease_release: hookStep(hooks, 'lease_release'),
    },
  });
  const openWork = (): readonly string[] => [
    ...inFlight.open(),
    ...targets.open(),
    ...hooks.open('consumers'),
    ...hooks.open('closers'),
  ];
  return {
    drain,
    hooks,
    inFlight,
    targets,
    streams,
    open: () => [...openWork(), ...hooks.open('lease_release')],
    openWork,
    dispose: () => targets.dispose(),
  };
}

function inFlightStep(targets: DrainTargets, inFlight: InFlight): DrainStep {
  return {
    async run() {
      await targets.gone();
      await inFlight.whenIdle();
    },
    open: () => [...inFlight.open(), ...targets.open()],
    cut: () => targets.cut(),
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
