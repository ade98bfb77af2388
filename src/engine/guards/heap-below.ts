import { getHeapStatistics } from 'node:v8';
import type { GuardOptions } from '../../core/guard.js';
import { type Limit, limitAmount } from '../../core/limit.js';

/**
 * Sound while the heap in use is below a share of V8's limit (`--max-old-space-size`), or below so many bytes. Not a
 * share of the heap's present size, which V8 keeps nearly full by design.
 * @throws OptionError on a limit that cannot be read.
 */
export function heapBelow(limit: Limit): GuardOptions {
  const most = limitAmount('heapBelow (the limit)', limit, getHeapStatistics().heap_size_limit);
  return { isSound: () => getHeapStatistics().used_heap_size < most, samples: 5, everyMs: 5000 };
}
