import { readFileSync } from 'node:fs';
import { readCpuStat } from '../core/cgroup-files.js';
import type { CpuStat } from '../core/cgroup.js';
import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import type { Clock } from '../core/clock.js';
import { HaleError } from '../core/errors.js';
import type { ReadText } from '../core/file-reader.js';
import { type Limits, limitsAbove, statusAbove } from '../core/limits.js';
import { durationOption } from '../core/validate.js';

/** Options of {@link cpuThrottling}. */
export interface CpuThrottlingOptions extends CheckOptions {
  /** Warns when in more than this share of the periods the quota was used up. @defaultValue 0.25 */
  warnAbove?: number;
  /** Fails above this share. Off by default: leaving rotation hands the load to the neighbours. @defaultValue Infinity */
  failAbove?: number;
  /** How far back the figures look. @defaultValue 60000 */
  windowMs?: number;
  /** Reads a file of the kernel; may throw. @defaultValue `readFileSync` of node:fs */
  read?: ReadText;
}

interface Sample {
  readonly at: number;
  readonly stat: CpuStat;
}

/**
 * Watches how often the CPU quota of the cgroup (v1 or v2) stops the process, between the runs of the last `windowMs`.
 * A throttled process is late with everything while its CPU usage looks low.
 *
 * - pass: the quota was used up in at most `warnAbove` of its periods, or there is no quota.
 * - warn: it was used up more often; code `cpu_throttled`.
 * - fail: it was used up in more than `failAbove` of its periods; code `cpu_throttled`. Never by default.
 *
 * Suggested impact: `optional` or `degraded`. Cost: two small files of the kernel per run.
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function cpuThrottling(options: CpuThrottlingOptions = {}): Check {
  const { warnAbove: warn = 0.25, failAbove: fail = Infinity, ...rest } = options;
  const { windowMs = 60_000, read = readKernelText, ...checkOptions } = rest;
  const names = { warn: 'cpuThrottling.warnAbove', fail: 'cpuThrottling.failAbove' };
  const limits = limitsAbove(names, { warn, fail });
  durationOption('cpuThrottling.windowMs', windowMs);
  let clock: Clock | undefined;
  let samples: readonly Sample[] = [];
  const sample = (at: number) => {
    const stat = readCpuStat(read);
    samples = stat === undefined ? [] : withinWindow([...samples, { at, stat }], at - windowMs);
  };
  return {
    componentType: 'system',
    measurement: 'cpuThrottling',
    impact: 'degraded',
    ...checkOptions,
    start: (context) => {
      clock = context.clock;
      // Added again, it starts with a window of its own.
      samples = [];
      sample(clock.now());
    },
    run: () => {
      if (clock === undefined) {
        throw new HaleError('HALE_STATE', 'cpuThrottling runs only after its start()');
      }
      sample(clock.now());
      return judge(samples, limits);
    },
  };
}

const readKernelText: ReadText = (file) => readFileSync(file, 'utf8');

/** Keeps one sample from before the window, so that the window is always covered; starts anew in another group. */
function withinWindow(samples: readonly Sample[], begin: number): readonly Sample[] {
  const last = samples.at(-1);
  const wentBack = samples.some(
    ({ stat }) => last !== undefined && stat.periods > last.stat.periods,
  );
  if (wentBack) return samples.slice(-1);
  const firstWithin = samples.findIndex(({ at }) => at > begin);
  return samples.slice(Math.max(0, firstWithin - 1));
}

function judge(samples: readonly Sample[], limits: Limits): CheckResult {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return { status: 'pass' };
  const periods = last.stat.periods - first.stat.periods;
  const throttled = last.stat.throttled - first.stat.throttled;
  const throttledMs = Math.round(last.stat.throttledMs - first.stat.throttledMs);
  const share = periods === 0 ? 0 : Math.round((throttled / periods) * 1000) / 1000;
  const observedValue = { share, periods, throttled, throttledMs };
  const status = statusAbove(share, limits);
  if (status === 'pass') return { status, observedValue };
  const output = `the CPU quota was used up in ${throttled} of ${periods} periods, ${throttledMs} ms held`;
  return { status, code: 'cpu_throttled', output, observedValue };
}
