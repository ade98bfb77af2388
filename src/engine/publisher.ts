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
  publish(update: ProbeUpdate): void;
  onError(error: unknown): void;
}

/** Creates a publisher; an update is sent in a microtask after the first change, or at `flush()`. */
export function createPublisher({ publish, onError }: PublisherOptions): Publisher {
  let state: StatePatch | undefined;
  const touched = new Map<string, () => CheckView>();
  const removed = new Set<string>();
  let planned = false;

  const flush = (): void => {
    planned = false;
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
      touched.set(name, view);
      plan();
    },
    remove(name) {
      touched.delete(name);
      removed.add(name);
      plan();
    },
    flush,
  };
}
