import { totalmem } from 'node:os';
import type { GuardOptions } from '../../core/guard.js';
import { type Limit, limitAmount } from '../../core/limit.js';

/**
 * Sound while the resident memory of the process is below a share of its limit, or below so many bytes. The limit is
 * the cgroup's (v1 or v2), or the machine's memory where there is none; it is read once.
 * @throws OptionError on a limit that cannot be read.
 */
export function rssBelow(limit: Limit): GuardOptions {
  const most = limitAmount('rssBelow (the limit)', limit, memoryLimit());
  return { isSound: () => process.memoryUsage.rss() < most, samples: 5, everyMs: 5000 };
}

/** Without a limit the kernel's answer is 0 or far beyond the memory there is. */
function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
