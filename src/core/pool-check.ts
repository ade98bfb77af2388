import type { Check, CheckOptions, CheckResult } from './check.js';
import type { Clock } from './clock.js';
import { HaleError } from './errors.js';
import {
  type PoolFinding,
  type PoolLimits,
  type PoolSample,
  initialPoolState,
  judgePool,
} from './pool-rule.js';
import { type PoolStuckOptions, createStuckWatch } from './pool-stuck.js';
import { durationOption, integerOption, numberOption } from './validate.js';

/** Options of every check that reads the counters of a connection pool. */
export interface PoolCheckOptions extends CheckOptions {
  /** Share of the pool in use above which the check warns. @defaultValue 0.85 */
  warnAbove?: number;
  /**
   * Fails when requests wait and no connection has come back for this long, in milliseconds.
   * @defaultValue 30000
   */
  noReturnFailMs?: number;
  /**
   * Fails when more requests than this wait for several samples. Off by default: how long a queue may
   * be depends on the service, and leaving rotation under load moves the load to the neighbours.
   * @defaultValue Infinity
   */
  maxWaiting?: number;
  /** Consecutive samples over `maxWaiting` that fail. @defaultValue 3 */
  maxWaitingSamples?: number;
  /**
   * Tells a pool that is dead for good (`pool_stuck`) from one that is exhausted (`pool_exhausted`), by asking the server
   * on a fresh connection while no connection comes back. Off by default: it needs to know how to connect.
   */
  stuck?: PoolStuckOptions;
}

/** What a driver counts at one moment. */
export interface PoolCounters {
  /** Connections that are open or being opened. */
  readonly total: number;
  readonly idle: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
  /** Connections the pool may hold; Infinity for no limit. */
  readonly max: number;
}

/** A driver's pool as the rule wants to see it. */
export interface PoolSource {
  /** Name of the check, for options and errors. */
  readonly name: string;
  /**
   * Begins to call `onReturn` whenever a connection comes back, and returns how to stop; undefined when the driver does
   * not tell, in which case a return is deduced from falling counts.
   */
  listen(onReturn: () => void): (() => void) | undefined;
  /** Reads the counters; undefined once the pool has been ended. */
  read(): PoolCounters | undefined;
}

/** Applies the pool rule (C8) to a driver's counters, sample by sample. */
export interface PoolWatch {
  start(clock: Clock): void;
  /**
   * Takes a sample and judges it.
   * @throws HaleError (`HALE_STATE`) before `start`
   */
  judge(): CheckResult;
  /** Drops what was seen so far: a connection has come, whatever the counters show. */
  forget(): void;
  /** Stops listening; started again, it begins anew. */
  stop(): void;
}

/**
 * Creates a watch over one pool.
 * @throws OptionError (`HALE_OPTION_INVALID`) for a limit out of range
 */
export function createPoolWatch(source: PoolSource, limits: PoolLimits): PoolWatch {
  checkLimits(source.name, limits);
  let clock: Clock | undefined;
  let stopListening: (() => void) | undefined;
  let lastReturnAt: number | undefined;
  let state = initialPoolState;
  const forget = () => {
    state = initialPoolState;
  };
  return {
    forget,
    start: (time) => {
      if (clock !== undefined) return;
      clock = time;
      stopListening = source.listen(() => {
        lastReturnAt = time.now();
      });
      if (stopListening !== undefined) lastReturnAt = time.now();
    },
    stop: () => {
      stopListening?.();
      stopListening = undefined;
      // Started again, it listens again, and a queue of before is no evidence.
      clock = undefined;
      lastReturnAt = undefined;
      forget();
    },
    judge: () => {
      if (clock === undefined) {
        throw new HaleError('HALE_STATE', `${source.name} runs only after its start()`);
      }
      const counters = source.read();
      if (counters === undefined) {
        return { status: 'fail', code: 'pool_ended', output: 'pool ended' };
      }
      const sample = { ...counters, used: counters.total - counters.idle, lastReturnAt };
      const judged = judgePool(state, sample, clock.now(), limits);
      state = judged.state;
      return poolResult(judged.finding, sample);
    },
  };
}

/**
 * A check that applies the pool rule (C8) to a driver's counters (C7).
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function createPoolCheck(source: PoolSource, options: PoolCheckOptions): Check {
  const { warnAbove = 0.85, noReturnFailMs = 30_000, ...rest } = options;
  const { maxWaiting = Infinity, maxWaitingSamples = 3, stuck, ...checkOptions } = rest;
  const limits = { warnAbove, noReturnFailMs, maxWaiting, maxWaitingSamples };
  const watch = createPoolWatch(source, limits);
  const stuckWatch = stuck === undefined ? undefined : createStuckWatch(source.name, stuck);
  return {
    componentType: 'datastore',
    measurement: 'connections',
    ...checkOptions,
    start: (context) => {
      watch.start(context.clock);
      stuckWatch?.start(context);
    },
    dispose: () => {
      watch.stop();
      stuckWatch?.stop();
    },
    run: (signal) => {
      const result = watch.judge();
      return stuckWatch === undefined ? result : stuckWatch.judge(result, signal);
    },
  };
}

function checkLimits(check: string, limits: PoolLimits): void {
  numberOption(`${check}.warnAbove`, limits.warnAbove, { min: 0, max: 1 });
  durationOption(`${check}.noReturnFailMs`, limits.noReturnFailMs);
  if (limits.maxWaiting !== Infinity) {
    integerOption(`${check}.maxWaiting`, limits.maxWaiting, { min: 1 });
  }
  integerOption(`${check}.maxWaitingSamples`, limits.maxWaitingSamples, { min: 1 });
}

function poolResult(finding: PoolFinding, sample: PoolSample & PoolCounters): CheckResult {
  const { used, total, idle, waiting } = sample;
  const max = sample.max === Infinity ? null : sample.max;
  const observedValue = { used, total, idle, waiting, max };
  const observed = { observedValue, observedUnit: 'connections' };
  const load = `${used} of ${max ?? 'unlimited'} connections in use, ${waiting} waiting`;
  switch (finding.kind) {
    case 'ok':
      return { status: 'pass', ...observed };
    case 'busy':
      return { status: 'warn', code: 'pool_busy', output: load, ...observed };
    case 'stuck': {
      const output = `no connection came back for ${Math.round(finding.stuckMs)} ms: ${load}`;
      return { status: 'fail', code: 'pool_exhausted', output, ...observed };
    }
    case 'queue_too_long': {
      const output = `queue over its ceiling for ${finding.samples} samples: ${load}`;
      return { status: 'fail', code: 'pool_queue_too_long', output, ...observed };
    }
  }
}
