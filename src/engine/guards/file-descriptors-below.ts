import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { softLimitOf } from '../../core/file-limit.js';
import type { GuardOptions } from '../../core/guard.js';
import { type Limit, limitAmount } from '../../core/limit.js';

const DESCRIPTORS = '/proc/self/fd';
const LIMITS = '/proc/self/limits';

/**
 * Sound while the process has fewer open file descriptors than a share of its soft limit, or than a number. Always
 * sound where there is no `/proc`.
 * @throws OptionError on a limit that cannot be read.
 */
export function fileDescriptorsBelow(limit: Limit): GuardOptions {
  const hasProc = existsSync(DESCRIPTORS);
  const softLimit = hasProc ? softLimitOf(readFileSync(LIMITS, 'utf8')) : Infinity;
  const most = limitAmount('fileDescriptorsBelow (the limit)', limit, softLimit);
  const isSound = (): boolean => !hasProc || openDescriptors() < most;
  return { isSound, samples: 3, everyMs: 5000 };
}

function openDescriptors(): number {
  // Since Linux 6.2 the size is the count: constant time, however many are open.
  const { size } = statSync(DESCRIPTORS);
  // Listing the directory opens one more.
  return size > 0 ? size : readdirSync(DESCRIPTORS).length - 1;
}
