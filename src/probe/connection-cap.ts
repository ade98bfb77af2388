import type { Socket } from 'node:net';

/** Keeps the number of open connections bounded by closing old ones, never by turning new ones away. */
export interface ConnectionCap {
  add(socket: Socket): void;
  /** Marks a connection whose answer is still being worked out; it is the last to be closed. */
  setBusy(socket: Socket, busy: boolean): void;
}

/**
 * Creates the cap. Closed first are those that never got an answer, then the oldest idle, then the oldest: a client
 * that opens connections to fill the cap closes its own and not a good prober's.
 * @param afterNextRead calls back once what had arrived has been read. A burst is accepted whole before any of it is
 * read; closing at once would close the good prober in it, whose request lies unread.
 */
export function createConnectionCap(
  max: number,
  afterNextRead: (callback: () => void) => void,
): ConnectionCap {
  // In order of arrival, as a Set keeps it.
  const open = new Set<Socket>();
  const busy = new Set<Socket>();
  const inAnswer = (socket: Socket): boolean => busy.has(socket) || socket.writableLength > 0;
  let planned = false;

  function victim(): Socket | undefined {
    let idle: Socket | undefined;
    let oldest: Socket | undefined;
    for (const socket of open) {
      oldest ??= socket;
      if (inAnswer(socket)) continue;
      if (socket.bytesWritten === 0) return socket;
      idle ??= socket;
    }
    return idle ?? oldest;
  }

  function shrink(): void {
    planned = false;
    while (open.size > max) {
      const leaving = victim();
      if (leaving === undefined) return;
      // At once, not on its close event: the next round must not choose it again.
      open.delete(leaving);
      leaving.destroy();
    }
  }

  return {
    add(socket) {
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        busy.delete(socket);
      });
      if (open.size <= max || planned) return;
      planned = true;
      afterNextRead(shrink);
    },
    setBusy(socket, isBusy) {
      if (isBusy) busy.add(socket);
      else busy.delete(socket);
    },
  };
}
