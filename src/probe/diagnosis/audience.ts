import type { Clock, Timer } from '../../core/clock.js';

/** Knows whether somebody looks at the diagnosis, and works only while somebody does. */
export interface Audience {
  /** Somebody has looked, and may look again. */
  seen(): void;
  /** Somebody looks until the returned function is called; calling it again is without effect. */
  stay(): () => void;
  close(): void;
}

export interface AudienceOptions {
  readonly clock: Pick<Clock, 'now' | 'setTimeout'>;
  /** Called at the first look, and about once a second until nobody looks any more. */
  readonly work: () => void;
}

/** Whoever has looked once is expected to look again within it. */
const PATIENCE_MS = 10_000;
const EVERY_MS = 1000;

/** Creates it with nobody looking: no timer runs. */
export function createAudience({ clock, work }: AudienceOptions): Audience {
  const staying = new Set<symbol>();
  let seenAt = -Infinity;
  let timer: Timer | undefined;
  let closed = false;

  function turn(): void {
    timer = undefined;
    if (closed) return;
    if (staying.size === 0 && clock.now() - seenAt >= PATIENCE_MS) return;
    timer = clock.setTimeout(turn, EVERY_MS);
    work();
  }

  function seen(): void {
    seenAt = clock.now();
    if (timer === undefined) turn();
  }

  return {
    seen,
    stay() {
      const one = Symbol('looking');
      staying.add(one);
      seen();
      return () => void staying.delete(one);
    },
    close() {
      closed = true;
      timer?.clear();
    },
  };
}
