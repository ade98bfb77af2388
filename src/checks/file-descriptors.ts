import { readFileSync, readdirSync, statSync } from 'node:fs';
import type { Check, CheckOptions, CheckResult, Status } from '../core/check.js';
import { softLimitOf } from '../core/file-limit.js';
import type { Limit } from '../core/limit.js';
import { amountsAbove, statusAbove } from '../core/limits.js';

/** Options of {@link fileDescriptors}. Each limit is a share of the soft limit or a number; Infinity is never. */
export interface FileDescriptorsOptions extends CheckOptions {
  /** Warns when more are open. @defaultValue '80%' */
  warnAbove?: Limit;
  /** Fails when more are open. @defaultValue '95%' */
  failAbove?: Limit;
  /** Where the figures come from. */
  source?: Partial<DescriptorSource>;
}

/** What {@link fileDescriptors} reads; either may throw where the kernel does not say. */
export interface DescriptorSource {
  /** Open descriptors of the process. @defaultValue `/proc/self/fd` */
  open(): number;
  /** The soft limit of the process. @defaultValue `/proc/self/limits` */
  limit(): number;
}

/**
 * Counts the open file descriptors, sockets included. At the limit nothing can be opened or accepted any more.
 *
 * - pass: at most `warnAbove` are open, or the system does not say (no `/proc`).
 * - warn: more are open; code `descriptors_high`.
 * - fail: more than `failAbove` are open; code `descriptors_high`.
 *
 * Suggested impact: `degraded`; as a liveness guard there is `fileDescriptorsBelow`. Cost: two system calls per run; one
 * directory listing on Linux before 6.2.
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function fileDescriptors(options: FileDescriptorsOptions = {}): Check {
  const { warnAbove = '80%', failAbove = '95%', source, ...checkOptions } = options;
  const { open, limit }: DescriptorSource = { ...SYSTEM, ...source };
  const names = { warn: 'fileDescriptors.warnAbove', fail: 'fileDescriptors.failAbove' };
  const limits = { warn: warnAbove, fail: failAbove };
  amountsAbove(names, limits, 1);
  return {
    componentType: 'system',
    measurement: 'fileDescriptors',
    impact: 'degraded',
    ...checkOptions,
    run: () => {
      const used = figure(open);
      if (used === undefined) return { status: 'pass' };
      const most = figure(limit) ?? Infinity;
      return judge(used, most, statusAbove(used, amountsAbove(names, limits, most)));
    },
  };
}

const DESCRIPTORS = '/proc/self/fd';

const SYSTEM: DescriptorSource = {
  open: () => {
    // Since Linux 6.2 the size is the count: constant time, however many are open.
    const { size } = statSync(DESCRIPTORS);
    // Listing the directory opens one more.
    return size > 0 ? size : readdirSync(DESCRIPTORS).length - 1;
  },
  limit: () => softLimitOf(readFileSync('/proc/self/limits', 'utf8')),
};

function figure(read: () => number): number | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function judge(open: number, most: number, status: Status): CheckResult {
  const limit = most === Infinity ? null : most;
  const observed = { observedValue: { open, limit }, observedUnit: 'descriptors' };
  if (status === 'pass') return { status, ...observed };
  const output = `${open} of ${limit ?? 'unlimited'} file descriptors are open`;
  return { status, code: 'descriptors_high', output, ...observed };
}
