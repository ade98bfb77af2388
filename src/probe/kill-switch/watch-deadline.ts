import type { Clock } from '../../core/clock.js';
import type { DeadlineCell } from '../../core/deadline-cell.js';
import { leftUntil } from '../../core/kill-switch.js';

/** Sleep stands still while the machine is suspended: a deadline that passed meanwhile is noticed this much later. */
const LOOK_EVERY_MS = 500;

/**
 * Sleeps on this thread until the deadline in the cell has passed, and returns how late that was noticed, in
 * milliseconds; `undefined` once the cell is closed.
 */
export function watchDeadline(
  cell: DeadlineCell,
  clock: Pick<Clock, 'now' | 'uptimeMs'>,
): number | undefined {
  for (;;) {
    const seen = cell.read();
    if (seen.kind === 'closed') return undefined;
    if (seen.kind === 'none') {
      cell.wait(seen.mark, Infinity);
      continue;
    }
    const now = clock.now();
    const leftMs = leftUntil(seen.deadline, now, clock.uptimeMs?.() ?? now);
    if (leftMs <= 0) return 0 - leftMs;
    cell.wait(seen.mark, Math.min(leftMs, LOOK_EVERY_MS));
  }
}
