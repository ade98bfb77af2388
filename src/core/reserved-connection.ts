import { untilAborted } from './abort.js';
import { HaleError } from './errors.js';

/** How to handle one kind of connection. */
export interface ConnectionDriver<C> {
  /** Creates a fresh connection object and starts listening for its errors. */
  create(onLost: () => void): C;
  connect(connection: C): Promise<unknown>;
  /** Ends the connection at once, without waiting for the peer; must not throw. */
  destroy(connection: C): void;
}

/** One connection kept open between the runs of a deep check. */
export interface ReservedConnection<C> {
  /**
   * Calls `work` with the open connection, opening it first when there is none. If anything fails or
   * `signal` aborts, the connection is destroyed before the promise rejects.
   * @throws HaleError (`HALE_DISPOSED`) after `close`
   */
  use(work: (connection: C) => Promise<unknown>, signal: AbortSignal): Promise<void>;
  /** {@link ReservedConnection.use} for work with a result. */
  ask<T>(work: (connection: C) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Destroys what is open and makes every present and later use reject. */
  close(): void;
}

interface Slot<C> {
  readonly connection: C;
  state: 'new' | 'open' | 'destroyed';
}

/** Creates a reserved connection; nothing is opened before the first use. */
export function createReservedConnection<C>(driver: ConnectionDriver<C>): ReservedConnection<C> {
  const closing = new AbortController();
  let kept: Slot<C> | undefined;
  const destroy = (slot: Slot<C>) => {
    if (kept === slot) kept = undefined;
    if (slot.state === 'destroyed') return;
    slot.state = 'destroyed';
    driver.destroy(slot.connection);
  };
  // A run takes the connection out, so that an overlapping one never shares what may be destroyed.
  const take = (): Slot<C> => {
    const slot = kept ?? createSlot(driver, destroy);
    kept = undefined;
    return slot;
  };
  const giveBack = (slot: Slot<C>) => {
    const isWanted = kept === undefined && !closing.signal.aborted;
    if (isWanted && slot.state === 'open') kept = slot;
    else destroy(slot);
  };
  const ask = async <T>(work: (connection: C) => Promise<T>, signal: AbortSignal): Promise<T> => {
    closing.signal.throwIfAborted();
    signal.throwIfAborted();
    const slot = take();
    try {
      const done = workOn(driver, slot, work);
      const result = await untilAborted(untilAborted(done, signal), closing.signal);
      giveBack(slot);
      return result;
    } catch (error) {
      destroy(slot);
      throw error;
    }
  };
  return {
    use: async (work, signal) => void (await ask(work, signal)),
    ask,
    close: () => {
      closing.abort(new HaleError('HALE_DISPOSED', 'the connection was closed'));
      if (kept !== undefined) destroy(kept);
    },
  };
}

function createSlot<C>(driver: ConnectionDriver<C>, destroy: (slot: Slot<C>) => void): Slot<C> {
  const slot: Slot<C> = {
    connection: driver.create(() => destroy(slot)),
    state: 'new',
  };
  return slot;
}

async function workOn<C, T>(
  driver: ConnectionDriver<C>,
  slot: Slot<C>,
  work: (connection: C) => Promise<T>,
): Promise<T> {
  if (slot.state === 'new') {
    await driver.connect(slot.connection);
    // Aborted meanwhile: what the abandoned connection does must not reach the server.
    if (slot.state !== 'new') throw new HaleError('HALE_ABORTED', 'given up while connecting');
    slot.state = 'open';
  }
  return work(slot.connection);
}
