import type { Clock, Timer } from '../core/clock.js';
import { SERVING_STATUS, type ServingStatus } from '../protocol/grpc-health.js';

/** Where the statuses of one `Watch` go. */
export interface WatchSink {
  /** Sends a status; calls back when there is room for the next. */
  send(status: ServingStatus, sent: () => void): void;
  /** Ends the stream: the server is going away. */
  end(): void;
}

export interface ServiceWatchesOptions {
  /** The status of a service now; `undefined` when there is no such service. Never rejects. */
  readonly statusOf: (service: string) => Promise<ServingStatus | undefined>;
  readonly clock: Pick<Clock, 'setTimeout'>;
}

/** The open `Watch` streams of a server that is not hale's own. */
export interface ServiceWatches {
  /** Sends the present status, then each change; returns what ends it without a word, for a client that has gone. */
  add(service: string, sink: WatchSink): () => void;
  /** To be called when something may have changed. */
  look(): void;
  /** Sends what has changed, ends every stream, and from then on every new one after its first status. */
  end(): Promise<void>;
}

interface Watch {
  readonly service: string;
  readonly sink: WatchSink;
  told: ServingStatus | undefined;
  busy: boolean;
  asked: Promise<void> | undefined;
  /** Something may have changed since it was asked. */
  outdated: boolean;
}

/** Results that expire tell nobody. */
const LOOK_EVERY_MS = 1000;

/** Creates an empty set of watches; it has a timer only while there are any. */
export function createServiceWatches({ statusOf, clock }: ServiceWatchesOptions): ServiceWatches {
  const watches = new Set<Watch>();
  let timer: Timer | undefined;
  let ended = false;

  /** One question at a time for each watch; what changes meanwhile is asked again. */
  function ask(watch: Watch): Promise<void> {
    if (watch.asked !== undefined) watch.outdated = true;
    watch.asked ??= answer(watch);
    return watch.asked;
  }

  async function answer(watch: Watch): Promise<void> {
    do {
      watch.outdated = false;
      const status = await statusOf(watch.service);
      if (!watch.outdated) tell(watch, status ?? SERVING_STATUS.serviceUnknown);
    } while (watch.outdated);
    watch.asked = undefined;
  }

  function tell(watch: Watch, status: ServingStatus): void {
    // A client that does not read gets what is the case when it does, not all that was.
    if (!watches.has(watch) || watch.busy || watch.told === status) return;
    watch.told = status;
    watch.busy = true;
    watch.sink.send(status, () => {
      watch.busy = false;
      if (watches.has(watch)) void ask(watch);
    });
  }

  async function finish(watch: Watch): Promise<void> {
    await ask(watch);
    if (watches.delete(watch)) watch.sink.end();
    tick();
  }

  function look(): void {
    for (const watch of watches) void ask(watch);
  }

  function tick(): void {
    timer?.clear();
    timer = undefined;
    if (watches.size === 0) return;
    timer = clock.setTimeout(() => {
      look();
      tick();
    }, LOOK_EVERY_MS);
  }

  return {
    add(service, sink) {
      const watch: Watch = {
        service,
        sink,
        told: undefined,
        busy: false,
        asked: undefined,
        outdated: false,
      };
      watches.add(watch);
      if (ended) void finish(watch);
      else void ask(watch);
      if (timer === undefined) tick();
      return () => {
        watches.delete(watch);
        if (watches.size === 0) tick();
      };
    },
    look,
    async end() {
      ended = true;
      await Promise.all([...watches].map(finish));
    },
  };
}
