import type { Board } from '../core/board.js';
import type { Clock } from '../core/clock.js';

/** Work under way that a drain waits for: requests, jobs. */
export interface InFlight {
  readonly count: number;
  /** Counts a piece of work until the returned function is called; calling it again is without effect. */
  begin(label: string | (() => string)): () => void;
  /** The longest-running pieces of work, with their age. */
  open(): readonly string[];
  /** Resolves once nothing is in flight. */
  whenIdle(): Promise<void>;
}

export interface InFlightOptions {
  readonly clock: Clock;
  readonly board: Board;
  /** Called after each change. */
  onChange?(count: number): void;
}

interface Work {
  readonly label: string | (() => string);
  readonly startedAt: number;
}

const MOST_NAMED = 20;

/** Creates an empty set of work, its count shown on the board. */
export function createInFlight({ clock, board, onChange }: InFlightOptions): InFlight {
  // Insertion order is order of age.
  const works = new Set<Work>();
  let waiting: (() => void)[] = [];

  const changed = (): void => {
    board.setInFlight(works.size);
    onChange?.(works.size);
    if (works.size > 0) return;
    const resolved = waiting;
    waiting = [];
    for (const resolve of resolved) resolve();
  };

  return {
    get count() {
      return works.size;
    },
    begin(label) {
      const work: Work = { label, startedAt: clock.now() };
      works.add(work);
      changed();
      return () => {
        if (works.delete(work)) changed();
      };
    },
    open() {
      const named = [...works].slice(0, MOST_NAMED).map((work) => nameOf(work, clock.now()));
      return works.size > MOST_NAMED ? [...named, `and ${works.size - MOST_NAMED} more`] : named;
    },
    whenIdle() {
      if (works.size === 0) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

function nameOf({ label, startedAt }: Work, now: number): string {
  const text = typeof label === 'function' ? label() : label;
  return `${text} for ${((now - startedAt) / 1000).toFixed(1)} s`;
}
