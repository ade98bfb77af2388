/** How a stream of changes is read. */
export interface ChangesOptions {
  /** Ends the stream when it aborts. */
  signal?: AbortSignal;
  /** How many changes wait for a reader that is busy; beyond it the oldest go. @defaultValue 1000 */
  limit?: number;
}

/** Values as they come, for one reader: `for await` over it. */
export interface ChangeStream<T> extends AsyncIterableIterator<T> {
  /** How many values a reader that fell behind has missed: beyond the limit the oldest go. */
  readonly missed: number;
}

/** A stream and the right to feed and end it. */
export interface OwnChangeStream<T> {
  readonly stream: ChangeStream<T>;
  push(value: T): void;
  /** The reader gets what is waiting, then the end. Idempotent. */
  end(): void;
}

/** Creates an empty stream; `onLeave` is called once, when the reader leaves the loop or the end has come. */
export function createChangeStream<T>(limit: number, onLeave: () => void): OwnChangeStream<T> {
  const waiting: T[] = [];
  const readers: ((result: IteratorResult<T>) => void)[] = [];
  let missed = 0;
  let ended = false;

  const end = (): void => {
    if (ended) return;
    ended = true;
    for (const reader of readers.splice(0)) reader({ done: true, value: undefined });
    onLeave();
  };
  const stream: ChangeStream<T> = {
    get missed() {
      return missed;
    },
    next() {
      const [value] = waiting.splice(0, 1);
      if (value !== undefined) return Promise.resolve({ done: false, value });
      if (ended) return Promise.resolve({ done: true, value: undefined });
      return new Promise((resolve) => readers.push(resolve));
    },
    return() {
      waiting.length = 0;
      end();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]() {
      return stream;
    },
  };
  return {
    stream,
    push(value) {
      if (ended) return;
      const reader = readers.shift();
      if (reader !== undefined) return reader({ done: false, value });
      waiting.push(value);
      if (waiting.length <= limit) return;
      waiting.shift();
      missed += 1;
    },
    end,
  };
}
