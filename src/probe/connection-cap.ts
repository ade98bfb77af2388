import type { Socket } from 'node:net';
import type { Clock, Timer } from '../core/clock.js';

/** Keeps the number of open connections bounded by closing old ones, never by turning new ones away. */
export interface ConnectionCap {
  add(socket: Socket): void;
  /** Marks a connection whose answer is still being worked out; it is the last to be closed. */
  setBusy(socket: Socket, busy: boolean): void;
}

/**
 * Time a connection has to send its request before it may be closed to make room: a good prober in the middle of a
 * flood has connected, but what it asks is still under way.
 */
export const GRACE_MS = 250;

/** So many times the cap may be open within the grace; beyond it the oldest goes at once. */
const HARD_FACTOR = 8;

/**
 * Creates the cap. Closed first are those that never got an answer, then the oldest idle, then the oldest: a client
 * that opens connections to fill the cap closes its own and not a good prober's.
 */
export function createConnectionCap(
  max: number,
  clock: Pick<Clock, 'now' | 'setTimeout'>,
): ConnectionCap {
  // Connection → time of arrival, in order of arrival, as a Map keeps it.
  const open = new Map<Socket, number>();
  const busy = new Set<Socket>();
  const inAnswer = (socket: Socket): boolean => busy.has(socket) || socket.writableLength > 0;
  let timer: Timer | undefined;

  function victim(arrivedBy: number): Socket | undefined {
    let idle: Socket | undefined;
    let oldest: Socket | undefined;
    for (const [socket, arrivedAt] of open) {
      if (arrivedAt > arrivedBy) break;
      oldest ??= socket;
      if (inAnswer(socket)) continue;
      if (socket.bytesWritten === 0) return socket;
      idle ??= socket;
    }
    return idle ?? oldest;
  }

  function shrink(limit: number, arrivedBy: number): void {
    while (open.size > limit) {
      const leaving = victim(arrivedBy);
      if (leaving === undefined) return;
      // At once, not on its close event: the next round must not choose it again.
      open.delete(leaving);
      leaving.destroy();
    }
  }

  function plan(): void {
    if (timer !== undefined || open.size <= max) return;
    timer = clock.setTimeout(() => {
      timer = undefined;
      shrink(max, clock.now() - GRACE_MS);
      plan();
    }, GRACE_MS);
  }

  return {
    add(socket) {
      open.set(socket, clock.now());
      socket.once('close', () => {
        open.delete(socket);
        busy.delete(socket);
      });
      shrink(max * HARD_FACTOR, Infinity);
      plan();
    },
    setBusy(socket, isBusy) {
      if (isBusy) busy.add(socket);
      else busy.delete(socket);
    },
  };
}
