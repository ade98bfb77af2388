import type { Clock, Timer } from '../core/clock.js';
import type { CheckView, ProbeUpdate } from '../core/probe-state.js';

type StatePatch = NonNullable<ProbeUpdate['state']>;

/** Gathers changes of the probe state and sends them as one update per turn. */
export interface Publisher {
  /** Replaces parts of the state other than checks. */
  patch(state: StatePatch): void;
  /** Marks a check as changed; its view is taken when the update is sent. */
  touch(name: string, view: () => CheckView): void;
  remove(name: string): void;
  /** Sends what has gathered now, for what must not wait for the end of the turn. */
  flush(): void;
}

export interface PublisherOptions {
  /** Times how long results of very many checks are gathered. @defaultValue they are not gathered */
  readonly clock?: Pick<Clock, 'setTimeout'>;
  publish(update: ProbeUpdate): void;
  onError(error: unknown): void;
}

/** With more checks than these an update costs so much that results are gathered for a moment. */
const MANY_CHECKS = 250;
const GATHER_MS = 100;

/**
 * Creates a publisher; an update is sent in a microtask after the first change, or at `flush()`. Results of very many
 * checks are gathered for 100 ms: each update looks at all of them, and when all fail together, each would be an update
 * of its own.
 */
export function createPublisher({ clock, publish, onError }: PublisherOptions): Publisher {
  const names = new Set<string>();
  let gathering: Timer | undefined;
  let state: StatePatch | undefined;
  const touched = new Map<string, () => CheckView>();
  const removed = new Set<string>();
  let planned = false;

  const flush = (): void => {
    planned = false;
    gathering?.clear();
    gathering = undefined;
    if (state === undefined && touched.size === 0 && removed.size === 0) return;
    const views = [...touched.values()];
    const update = {
      ...(state === undefined ? {} : { state }),
      ...(removed.size === 0 ? {} : { removedChecks: [...removed] }),
    };
    // Before it is sent: whoever hears of the update may make the next change at once.
    state = undefined;
    touched.clear();
    removed.clear();
    try {
      publish({
        ...update,
        ...(views.length === 0 ? {} : { checks: views.map((view) => view()) }),
      });
    } catch (error) {
      onError(error);
    }
  };

  const plan = (): void => {
    if (planned) return;
    planned = true;
    queueMicrotask(flush);
  };

  return {
    patch(change) {
      state = { ...state, ...change };
      plan();
    },
    touch(name, view) {
      names.add(name);
      touched.set(name, view);
      if (clock === undefined || names.size <= MANY_CHECKS) plan();
      else gathering ??= clock.setTimeout(flush, GATHER_MS);
    },
    remove(name) {
      names.delete(name);
      touched.delete(name);
      removed.add(name);
      plan();
    },
    flush,
  };
}
