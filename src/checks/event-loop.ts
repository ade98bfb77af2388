import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import type { Clock, Timer } from '../core/clock.js';
import { type DelaySummary, createDelayWindow } from '../core/delay-window.js';
import { HaleError } from '../core/errors.js';
import { type Limits, limitsAbove, statusAbove } from '../core/limits.js';
import { durationOption, functionOption, numberOption } from '../core/validate.js';

/** Options of {@link eventLoopDelay}. */
export interface EventLoopDelayOptions extends CheckOptions {
  /**
   * Warns when the 99th percentile of the window is above this many milliseconds.
   * @defaultValue 250
   */
  warnAboveMs?: number;
  /**
   * Fails when the 99th percentile of the window is above this many milliseconds. Off by default: a
   * busy process that leaves rotation hands its load to its neighbours.
   * @defaultValue Infinity
   */
  failAboveMs?: number;
  /** How far back the figures look. @defaultValue 30000 */
  windowMs?: number;
  /**
   * Pause between two samples. Each wakes the process: at 250 an idle process spends a few hundredths of
   * a percent of a core on it, at 100 more than twice that.
   * @defaultValue 250
   */
  sampleMs?: number;
}

/**
 * Watches how late timers fire on the loop that runs the checks, with a sampler of its own. A stall
 * stays in the window until it is `windowMs` old; readers never reset it.
 *
 * - pass: the 99th percentile of the delay is at most `warnAboveMs`.
 * - warn: it is above `warnAboveMs`; code `event_loop_delayed`.
 * - fail: it is above `failAboveMs`; code `event_loop_delayed`. Never by default.
 *
 * Suggested impact: `degraded`. Cost: no I/O; a timer every `sampleMs`, one sort of
 * `windowMs / sampleMs` numbers per run.
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function eventLoopDelay(options: EventLoopDelayOptions = {}): Check {
  const { warnAboveMs = 250, failAboveMs = Infinity, ...rest } = options;
  const { windowMs = 30_000, sampleMs = 250, ...checkOptions } = rest;
  const path = (name: string) => `eventLoopDelay.${name}`;
  numberOption(path('warnAboveMs'), warnAboveMs, { min: 1 });
  if (failAboveMs !== Infinity)
    numberOption(path('failAboveMs'), failAboveMs, { min: warnAboveMs });
  durationOption(path('sampleMs'), sampleMs, 10);
  numberOption(path('windowMs'), windowMs, { min: sampleMs, max: sampleMs * 10_000 });
  let sampler: Sampler | undefined;
  return {
    impact: 'degraded',
    componentType: 'system',
    measurement: 'eventLoopDelay',
    ...checkOptions,
    start: ({ clock }) => {
      sampler ??= startSampler(clock, sampleMs, windowMs);
    },
    dispose: () => {
      sampler?.stop();
      // Added again, it starts with a window of its own.
      sampler = undefined;
    },
    run: () => {
      if (sampler === undefined) {
        throw new HaleError('HALE_STATE', 'eventLoopDelay runs only after its start()');
      }
      return judge(sampler.read(), warnAboveMs, failAboveMs);
    },
  };
}

interface Sampler {
  read(): DelaySummary;
  stop(): void;
}

function startSampler(clock: Clock, sampleMs: number, windowMs: number): Sampler {
  const window = createDelayWindow(Math.ceil(windowMs / sampleMs), sampleMs);
  let expectedAt = 0;
  let timer: Timer;
  const arm = () => {
    expectedAt = clock.now() + sampleMs;
    timer = clock.setTimeout(tick, sampleMs);
  };
  const tick = () => {
    window.record(clock.now() - expectedAt);
    arm();
  };
  arm();
  return {
    // A run can come before the late tick, so the delay that is still going on counts too.
    read: () => window.summary(clock.now() - expectedAt),
    stop: () => timer.clear(),
  };
}

function judge(summary: DelaySummary, warnAboveMs: number, failAboveMs: number): CheckResult {
  const observedValue = {
    p99: round(summary.p99Ms),
    max: round(summary.maxMs),
    mean: round(summary.meanMs),
  };
  const observed = { observedValue, observedUnit: 'ms' };
  if (summary.p99Ms <= warnAboveMs) return { status: 'pass', ...observed };
  const failed = summary.p99Ms > failAboveMs;
  const limit = failed ? failAboveMs : warnAboveMs;
  return {
    status: failed ? 'fail' : 'warn',
    code: 'event_loop_delayed',
    output: `event loop delay p99 is ${observedValue.p99} ms, above ${limit} ms`,
    ...observed,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Options of {@link eventLoopUtilization}. Each limit is a share of the time, 0 to 1; Infinity is never. */
export interface EventLoopUtilizationOptions extends CheckOptions {
  /** Warns when the loop was busy for more of the window. @defaultValue 0.9 */
  warnAbove?: number;
  /**
   * Fails when the loop was busy for more of the window. Off by default: a busy process that leaves rotation hands its
   * load to its neighbours.
   * @defaultValue Infinity
   */
  failAbove?: number;
  /** How far back the figure looks, in milliseconds; never less far than the last run. @defaultValue 30000 */
  windowMs?: number;
  /** Where the figures come from. @defaultValue `performance.eventLoopUtilization` of node:perf_hooks */
  source?: () => LoopTimes;
}

/** Milliseconds since the loop began to turn, as Node.js counts them. */
export interface LoopTimes {
  /** Spent on work. */
  readonly active: number;
  /** Spent waiting for work. */
  readonly idle: number;
}

/**
 * Tells for which share of the time the loop that runs the checks was busy instead of waiting. It compares with what it
 * saw itself, so it and other readers of the figure do not disturb each other. A loop can be busy all the time with
 * little delay; near 1 it has no room for more.
 *
 * - pass: at most `warnAbove`, or less than half of the window has been seen yet.
 * - warn: it is above `warnAbove`; code `event_loop_busy`.
 * - fail: it is above `failAbove`; code `event_loop_busy`. Never by default.
 *
 * Suggested impact: `degraded`. Cost: no I/O and no timer; one call that reads two counters per run.
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function eventLoopUtilization(options: EventLoopUtilizationOptions = {}): Check {
  const { warnAbove: warn = 0.9, failAbove: fail = Infinity, ...rest } = options;
  const { windowMs = 30_000, source = loopTimes, ...checkOptions } = rest;
  const path = (name: string) => `eventLoopUtilization.${name}`;
  const limits = limitsAbove({ warn: path('warnAbove'), fail: path('failAbove') }, { warn, fail });
  for (const [name, limit] of [['warnAbove', warn] as const, ['failAbove', fail] as const]) {
    if (limit !== Infinity) numberOption(path(name), limit, { min: 0, max: 1 });
  }
  durationOption(path('windowMs'), windowMs, 1_000);
  functionOption(path('source'), source);
  let seen: LoopSample[] | undefined;
  let clock: Clock | undefined;
  return {
    impact: 'degraded',
    componentType: 'system',
    measurement: 'eventLoopUtilization',
    ...checkOptions,
    start: (context) => {
      clock = context.clock;
      seen = [{ at: clock.now(), ...source() }];
    },
    dispose: () => {
      seen = undefined;
    },
    run: () => {
      if (seen === undefined || clock === undefined) {
        throw new HaleError('HALE_STATE', 'eventLoopUtilization runs only after its start()');
      }
      seen = within(windowMs, [...seen, { at: clock.now(), ...source() }]);
      return judgeShare(seen, windowMs, limits);
    },
  };
}

interface LoopSample extends LoopTimes {
  readonly at: number;
}

/** Taken when it is needed: the module is not loaded by everyone who imports this one. */
function loopTimes(): LoopTimes {
  return process.getBuiltinModule('node:perf_hooks').performance.eventLoopUtilization();
}

/** The samples that the window needs: those in it, and the last one before it. */
function within(windowMs: number, samples: readonly LoopSample[]): LoopSample[] {
  const begin = (samples.at(-1)?.at ?? 0) - windowMs;
  const first = samples.findLastIndex(({ at }) => at <= begin);
  return samples.slice(Math.max(0, first));
}

function judgeShare(samples: readonly LoopSample[], windowMs: number, limits: Limits): CheckResult {
  const first = samples[0] as LoopSample;
  const last = samples.at(-1) as LoopSample;
  const active = last.active - first.active;
  const all = active + last.idle - first.idle;
  const share = all > 0 ? active / all : 0;
  const observedValue = Math.round(share * 1000) / 1000;
  const observed = { observedValue, observedUnit: 'ratio' };
  const isEarly = last.at - first.at < windowMs / 2;
  const status = isEarly ? 'pass' : statusAbove(share, limits);
  if (status === 'pass') return { status, ...observed };
  const output = `the event loop was busy for ${Math.round(share * 100)} % of the time`;
  return { status, code: 'event_loop_busy', output, ...observed };
}
