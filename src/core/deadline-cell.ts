/** When this process must be dead, as it was written last. */
export interface Deadline {
  /** Monotonic milliseconds. */
  readonly at: number;
  /** By how much the time since boot was ahead of the monotonic clock then; it grows while the machine is suspended. */
  readonly bootAheadMs: number;
}

/** What a reader of the cell sees; `mark` is what {@link DeadlineCell.wait} compares. */
export type DeadlineReading =
  | { readonly kind: 'none'; readonly mark: bigint }
  | { readonly kind: 'set'; readonly mark: bigint; readonly deadline: Deadline }
  /** Nobody will write any more. */
  | { readonly kind: 'closed'; readonly mark: bigint };

/**
 * A deadline in shared memory: written by the main thread without a message, so that it counts even if that thread is
 * blocked right afterwards.
 */
export interface DeadlineCell {
  /** The name of the lease is for people, and cut to fit. */
  set(deadline: Deadline, lease: string): void;
  clear(): void;
  close(): void;
  read(): DeadlineReading;
  /** Whose deadline it is. */
  lease(): string;
  /** Sleeps until the cell holds something else than `mark`, at most so long; only on a thread that may block. */
  wait(mark: bigint, timeoutMs: number): void;
}

const AT = 0;
const BOOT_AHEAD = 1;
const NAME_LENGTH = 2;
const WORDS = 3;
const NAME_OFFSET = WORDS * BigInt64Array.BYTES_PER_ELEMENT;
const NAME_BYTES = 128;

/** What a cell takes of shared memory. */
export const DEADLINE_CELL_BYTES = NAME_OFFSET + NAME_BYTES;

const NONE = 0n;
const CLOSED = -1n;

/** Lays a cell over shared memory; memory of zeros holds no deadline. */
export function createDeadlineCell(buffer: SharedArrayBuffer, offset = 0): DeadlineCell {
  const words = new BigInt64Array(buffer, offset, WORDS);
  const name = new Uint8Array(buffer, offset + NAME_OFFSET, NAME_BYTES);
  const put = (value: bigint): void => {
    Atomics.store(words, AT, value);
    Atomics.notify(words, AT);
  };
  return {
    set({ at, bootAheadMs }, lease) {
      const bytes = new TextEncoder().encode(lease).subarray(0, NAME_BYTES);
      name.set(bytes);
      Atomics.store(words, NAME_LENGTH, BigInt(bytes.length));
      Atomics.store(words, BOOT_AHEAD, micros(bootAheadMs));
      // Last, because it is what a reader waits for. A time before the clock began is long past, and is no marker.
      const time = micros(at);
      put(time < 1n ? 1n : time);
    },
    clear: () => put(NONE),
    close: () => put(CLOSED),
    read() {
      const mark = Atomics.load(words, AT);
      if (mark === NONE) return { kind: 'none', mark };
      if (mark === CLOSED) return { kind: 'closed', mark };
      const bootAheadMs = millis(Atomics.load(words, BOOT_AHEAD));
      return { kind: 'set', mark, deadline: { at: millis(mark), bootAheadMs } };
    },
    lease() {
      const length = Number(Atomics.load(words, NAME_LENGTH));
      return new TextDecoder().decode(name.slice(0, length));
    },
    wait: (mark, timeoutMs) => void Atomics.wait(words, AT, mark, timeoutMs),
  };
}

function micros(ms: number): bigint {
  return BigInt(Math.round(ms * 1000));
}

function millis(us: bigint): number {
  return Number(us) / 1000;
}
