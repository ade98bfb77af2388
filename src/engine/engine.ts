import type { Clock, Random } from '../core/clock.js';
import { contain } from '../core/contain.js';
import type { DrainProgress } from '../core/drain-progress.js';
import type { Environment } from '../core/environment.js';
import type { Decision } from '../core/decision.js';
import { decideLiveness } from '../core/liveness.js';
import { HaleError } from '../core/errors.js';
import type { Group } from '../core/group.js';
import type { Guard } from '../core/guard.js';
import type { KillSwitch } from '../core/kill-switch.js';
import type { Logger } from '../core/logger.js';
import { errorText } from '../core/error-text.js';
import type { ProbeHost } from '../core/probe-host.js';
import { type ProbeState, applyUpdate, initialProbeState } from '../core/probe-state.js';
import { decideReadiness } from '../core/readiness.js';
import { sharedReasons } from '../core/shared-reasons.js';
import type { Reason } from '../core/reason.js';
import type { ResolvedOptions } from '../core/resolve-options.js';
import { type Admission, createAdmission } from './admission.js';
import { type Running, startBeat } from './beat.js';
import {
  type CheckRegistry,
  type CheckRegistryOptions,
  createCheckRegistry,
} from './check-registry.js';
import { type CapacityGate, createCapacityGate } from './capacity-gate.js';
import { type ExitKeeper, createExitKeeper } from './exit-keeper.js';
import { type GateKeeper, createGateKeeper } from './gates.js';
import { startGuardSampler } from './guard-sampler.js';
import { reportEnvironment } from './environment-report.js';
import type { DrainHooks } from './drain-hooks.js';
import { type DrainRecord, type DrainRecordOptions, createDrainRecord } from './drain-record.js';
import { createLeaseRecord } from './lease-record.js';
import { createLimiter } from './limiter.js';
import { createLogContext } from './log-context.js';
import { type Leases, createLeases } from './leases.js';
import type { CheckTransition } from './monitored-check.js';
import { systemProcess } from './process-port.js';
import { type ProgressRegistry, createProgressRegistry } from './progress.js';
import { type Publisher, createPublisher } from './publisher.js';
import {
  type ReadinessChange,
  type ReadinessWatch,
  createReadinessWatch,
} from './readiness-watch.js';
import { type Shutdown, type ShutdownOptions, createShutdown } from './shutdown.js';
import { type QueueWatches, createQueueWatches } from './queue-progress.js';
import { type StartupTasks, createStartupTasks } from './startup-tasks.js';
import { type Workers, createWorkers } from './workers.js';

export interface EngineOptions {
  readonly resolved: ResolvedOptions;
  readonly env: Environment;
  readonly guards: readonly Guard[];
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly redact: (text: string) => string;
  readonly host: Pick<ProbeHost, 'board' | 'publish'>;
  readonly killSwitch: KillSwitch;
  onCheckTransition(transition: CheckTransition): void;
  onReadinessChange(change: ReadinessChange): void;
  onDrainProgress(progress: DrainProgress): void;
  /** The start-up budget is spent. */
  onStartupTimeout(): void;
}

/** The main thread's side of hale: everything but the listeners. */
export interface Engine {
  readonly admission: Admission;
  readonly checks: CheckRegistry;
  /** Removes a check that is in no group. */
  removeCheck(name: string): Promise<void>;
  readonly gates: GateKeeper;
  readonly leases: Leases;
  readonly progress: ProgressRegistry;
  readonly readiness: ReadinessWatch;
  readonly shutdown: Shutdown;
  readonly startup: StartupTasks;
  readonly queues: QueueWatches;
  readonly workers: Workers;
  readonly state: ProbeState;
  /** What liveness says as far as this thread can tell. */
  liveness(): ReturnType<typeof decideLiveness>;
  start(): void;
  dispose(): Promise<void>;
}

/** Puts the parts of the engine together; nothing runs before `start()`. */
export function createEngine(options: EngineOptions): Engine {
  const { resolved, clock, random, logger, redact } = options;
  const onError = errorLog(logger);
  // Contained, because it is called from the schedule, which must go on, and from the beginning of the drain.
  const onReadinessChange = (change: ReadinessChange): void => {
    const failed = (error: unknown): void => onError(error, 'the workers');
    contain(() => workers.look(), failed);
    options.onReadinessChange(change);
  };
  const onLook = (decision: Decision, shared: readonly Reason[]) => exits?.look(decision, shared);
  const mirror = createMirror({ ...options, onReadinessChange, onLook }, onError);
  const { publisher, readiness } = mirror;
  const shared = { clock, random, board: options.host.board, publisher, logger, redact };
  const checks = createCheckRegistry({
    ...shared,
    ...scheduleOf(options),
    onTurn: () => onTurn(),
    onError,
  });
  const startup = createStartupTasks({
    ...shared,
    budgetMs: resolved.startup.budgetMs,
    onTimeout: options.onStartupTimeout,
  });
  const gates = createGateKeeper(publisher);
  const capacity = capacityGate(options, gates);
  const { shutdown, drainRecord } = wayOut(options, {
    ...{ ...shared, onError },
    onInFlight: (count) => capacity?.observe(count),
    onBegin: () => readiness.look(),
  });
  const parts = { ...shared, ...shutdown, gates };
  const exits = exitKeeper(options, parts);
  const leases = createLeases({ ...options, ...parts, exit: systemProcess.exit });
  const looks = [drainRecord, readiness];
  const next = () => looks.forEach((each) => each.look());
  const onTurn = createLeaseRecord({ publisher, leases, onError, next });
  const progress = createProgressRegistry(shared);
  const queues = createQueueWatches({ ...shared, progress });
  const workers = createWorkers({
    ...parts,
    queues,
    readiness: () => readiness.current,
    drainEndsAt: () => shutdown.drain.deadlineAt() ?? clock.now(),
  });
  const running: Running[] = [];
  const { service, groups } = resolved;
  publisher.patch({ service, groups, startedAt: clock.wallNow() });
  for (const check of resolved.checks) checks.add(check);
  return {
    admission: createAdmission({ ...options, options: resolved.admission }),
    checks,
    removeCheck: (name) => refuseMember(resolved.groups, name) ?? checks.remove(name),
    gates,
    leases,
    progress,
    queues,
    workers,
    readiness,
    shutdown,
    startup,
    get state() {
      return mirror.state();
    },
    liveness: () => livenessOf(mirror.state()),
    start() {
      reportEnvironment({ env: options.env, resolved, logger, publisher });
      if (resolved.background) running.push(...background(options, publisher, checks));
      checks.start();
      startup.begin();
      leases.start();
    },
    async dispose() {
      const all = [...running, startup, leases, workers, queues, shutdown, readiness, capacity];
      for (const part of all) part?.dispose();
      await Promise.all([checks.dispose(), exits?.end()]);
    },
  };
}

type WayOutOptions = Pick<ShutdownOptions, 'board' | 'onInFlight' | 'onBegin'> &
  Pick<DrainRecordOptions, 'publisher' | 'onError'>;

/** The drain, and what is told of it. */
function wayOut(options: EngineOptions, parts: WayOutOptions) {
  const { resolved, onDrainProgress: next } = options;
  const shutdown: Shutdown = createShutdown({
    ...{ ...options, ...parts },
    options: resolved.shutdown,
    ...idleTimeout(resolved),
    onProgress: (progress) => drainRecord.tell(progress),
  });
  const drainRecord: DrainRecord = createDrainRecord({
    ...{ ...options, ...parts, next },
    open: () => shutdown.open(),
    deadlineAt: () => shutdown.drain.deadlineAt(),
  });
  return { shutdown, drainRecord };
}

function scheduleOf(
  options: EngineOptions,
): Pick<CheckRegistryOptions, 'limiter' | 'background' | 'beatMs' | 'context' | 'onTransition'> {
  const { concurrency, background, probes } = options.resolved;
  return {
    limiter: createLimiter(concurrency, options.clock),
    background,
    beatMs: probes.beatMs,
    context: createLogContext(options),
    onTransition: options.onCheckTransition,
  };
}

function errorLog(logger: Logger): (error: unknown, where: string) => void {
  return (error, where) => {
    const fields = { event: 'internal_error', where, output: errorText(error) };
    logger.error(fields, `hale: an error in ${where}`);
  };
}

/** As far as this thread can tell: whether it stands still is for the other one to see. */
function livenessOf({ gates, failingGuards }: ProbeState): ReturnType<typeof decideLiveness> {
  return decideLiveness({ gates, failingGuards, loopStalled: false, stalledProgress: [] });
}

/** What runs by itself as long as the process lives. */
function background(
  options: EngineOptions,
  publisher: Publisher,
  checks: CheckRegistry,
): Running[] {
  const { clock, logger, redact, guards, resolved, host } = options;
  return [
    startBeat({
      clock,
      board: host.board,
      beatMs: resolved.probes.beatMs,
      onBeat: () => checks.beat(),
    }),
    startGuardSampler({ guards, clock, publisher, logger, redact }),
  ];
}

function capacityGate(options: EngineOptions, gates: GateKeeper): CapacityGate | undefined {
  const { capacity } = options.resolved;
  return capacity === undefined ? undefined : createCapacityGate({ ...options, capacity, gates });
}

function exitKeeper(
  options: EngineOptions,
  parts: { readonly publisher: Publisher; readonly gates: GateKeeper; readonly hooks: DrainHooks },
): ExitKeeper | undefined {
  const { exitPermits: permits } = options.resolved;
  if (permits === undefined) return undefined;
  const exits = createExitKeeper({ ...options, ...parts, permits });
  parts.hooks.add('exit permit', (signal) => exits.end(signal), {
    stage: 'lease_release',
    independent: true,
  });
  return exits;
}

function idleTimeout({
  loadBalancerIdleTimeoutMs: idleMs,
}: ResolvedOptions): Pick<ResolvedOptions, 'loadBalancerIdleTimeoutMs'> {
  return idleMs === undefined ? {} : { loadBalancerIdleTimeoutMs: idleMs };
}

interface MirrorOptions extends EngineOptions {
  /** Told what readiness says, and what of that is shared, before anyone else is. */
  onLook(decision: Decision, shared: readonly Reason[]): void;
}

interface Mirror {
  readonly publisher: Publisher;
  readonly readiness: ReadinessWatch;
  state(): ProbeState;
}

/** Keeps this thread's copy of what is published, and looks at readiness at each change of it. */
function createMirror(
  options: MirrorOptions,
  onError: (error: unknown, where: string) => void,
): Mirror {
  const { host, clock, logger, resolved } = options;
  const { board } = host;
  let state = initialProbeState;
  const snapshotAgeMs = (): number => clock.now() - board.evaluatedAt();
  const onLook = (decision: Decision): void =>
    options.onLook(decision, sharedReasons(decision, state, snapshotAgeMs()));
  const readiness = createReadinessWatch({
    clock,
    logger,
    decide: () =>
      decideReadiness({
        state,
        phase: board.phase(),
        now: clock.now(),
        evaluatedAt: board.evaluatedAt(),
        staleAfterMs: resolved.probes.staleAfterMs,
      }),
    ...(resolved.exitPermits === undefined ? {} : { onLook }),
    context: createLogContext(options),
    onChange: options.onReadinessChange,
  });
  const publisher = createPublisher({
    clock,
    publish(update) {
      state = applyUpdate(state, update);
      host.publish(update);
      readiness.look();
    },
    onError: (error) => onError(error, 'publishing'),
  });
  return { publisher, readiness, state: () => state };
}

/** A group would wait for ever for a member that is gone. */
function refuseMember(groups: readonly Group[], name: string): Promise<never> | undefined {
  const group = groups.find(({ members }) => members.some(({ check }) => check === name));
  if (group === undefined) return undefined;
  const text = `check "${name}" is a member of group "${group.name}", whose quorum counts on it`;
  return Promise.reject(new HaleError('HALE_STATE', text));
}
