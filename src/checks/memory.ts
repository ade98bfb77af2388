import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { readMemoryLimit, readWorkingSet } from '../core/cgroup-files.js';
import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import type { ReadText } from '../core/file-reader.js';
import type { Limit } from '../core/limit.js';
import { amountsAbove, statusAbove } from '../core/limits.js';
import { choiceOption, integerOption } from '../core/validate.js';

/** Options of {@link memoryUsage}. Each limit is a share of what there is (`'85%'`) or bytes; Infinity is never. */
export interface MemoryUsageOptions extends CheckOptions {
  /** Warns when more is in use in each of the last `samples` runs. @defaultValue '85%' */
  warnAbove?: Limit;
  /** Fails when more is in use in each of the last `samples` runs. @defaultValue '95%' */
  failAbove?: Limit;
  /** Runs that must agree: one garbage collection later a high figure may be low. @defaultValue 3 */
  samples?: number;
  /**
   * `'rss'` is the resident memory of this process; `'cgroup'` the working set of its container with everything in it,
   * which is what the kubelet evicts by.
   * @defaultValue 'rss'
   */
  of?: 'rss' | 'cgroup';
  /** Where the figures come from. */
  source?: Partial<MemorySource>;
}

/** What {@link memoryUsage} reads. */
export interface MemorySource {
  /** Resident memory of the process in bytes. @defaultValue `process.memoryUsage.rss` */
  rss(): number;
  /** Memory of the machine in bytes, the limit where no group has one. @defaultValue `totalmem` of node:os */
  total(): number;
  /** Reads a file of the kernel; may throw. @defaultValue `readFileSync` of node:fs */
  read: ReadText;
}

/**
 * Compares the memory in use with the memory limit of the cgroup (v1 or v2), or with the machine's memory where there
 * is none. Never the heap: V8 keeps it nearly full by design.
 *
 * - pass: at least one of the last `samples` runs saw no more than `warnAbove`.
 * - warn: all of them saw more; code `memory_high`.
 * - fail: all of them saw more than `failAbove`; code `memory_high`.
 *
 * Suggested impact: `degraded`; an instance that leaves rotation hands its load to its neighbours. Cost: a few small
 * files of the kernel per run.
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function memoryUsage(options: MemoryUsageOptions = {}): Check {
  const { warnAbove = '85%', failAbove = '95%', samples = 3, ...rest } = options;
  const { of = 'rss', source: given, ...checkOptions } = rest;
  const source: MemorySource = { ...SYSTEM, ...given };
  integerOption('memoryUsage.samples', samples, { min: 1, max: 1000 });
  choiceOption('memoryUsage.of', of, ['rss', 'cgroup']);
  const names = { warn: 'memoryUsage.warnAbove', fail: 'memoryUsage.failAbove' };
  const limits = { warn: warnAbove, fail: failAbove };
  amountsAbove(names, limits, 1);
  let recent: readonly number[] = [];
  return {
    componentType: 'system',
    measurement: 'memory',
    impact: 'degraded',
    ...checkOptions,
    dispose: () => {
      recent = [];
    },
    run: () => {
      const used = of === 'rss' ? source.rss() : readWorkingSet(source.read);
      if (used === undefined) throw new Error('no cgroup says how much memory it uses');
      recent = [...recent, used].slice(-samples);
      const total = Math.min(readMemoryLimit(source.read) ?? Infinity, source.total());
      const lowest = recent.length < samples ? 0 : Math.min(...recent);
      return judge(used, total, statusAbove(lowest, amountsAbove(names, limits, total)));
    },
  };
}

const SYSTEM: MemorySource = {
  rss: () => process.memoryUsage.rss(),
  total: totalmem,
  read: (file) => readFileSync(file, 'utf8'),
};

function judge(used: number, total: number, status: 'pass' | 'warn' | 'fail'): CheckResult {
  const share = Math.round((used / total) * 1000) / 10;
  const observed = { observedValue: { used, total, share }, observedUnit: 'bytes' };
  if (status === 'pass') return { status, ...observed };
  const output = `${used} of ${total} bytes of memory in use, ${share} %`;
  return { status, code: 'memory_high', output, ...observed };
}
