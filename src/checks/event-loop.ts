import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import type { Clock, Timer } from '../core/clock.js';
import { type DelaySummary, createDelayWindow } from '../core/delay-window.js';
import { HaleError } from '../core/errors.js';
import { durationOption, numberOption } from '../core/validate.js';

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
