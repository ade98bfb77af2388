import type { Clock, Random, Timer } from '../core/clock.js';
import { spreadDelays } from '../core/spread.js';
import type { DrainTarget } from './drain-target.js';
import { nextTurn } from './system-clock.js';

/** The part of a WebSocket of `ws` that hale uses. */
export interface WebSocketLike {
  close(code: number, reason: string): void;
  terminate(): void;
}

/** The part of a `WebSocketServer` of `ws` (version 8) that hale uses; it must track its clients, as it does by default. */
export interface WebSocketServerLike {
  readonly clients: ReadonlySet<WebSocketLike>;
  close(callback: (error?: Error) => void): void;
}

/** RFC 6455, section 7.4.1: the endpoint is going away. */
const GOING_AWAY = 1001;

/** Tells the clients of a WebSocket server to leave, spread over the time they have (D3). */
export function trackWebSocketServer(
  server: WebSocketServerLike,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): DrainTarget {
  const timers = new Set<Timer>();
  let closed: Promise<void> = Promise.resolve();
  const clear = (): void => {
    for (const timer of timers) timer.clear();
    timers.clear();
  };
  return {
    // A client told now might be sent back here: its load balancer has not heard yet.
    startDraining() {},
    async stopAccepting(windowMs) {
      // Upgrades that are already in the kernel's buffer are let in; later ones get 503.
      for (let turn = 0; turn < 3; turn += 1) await nextTurn();
      closed = new Promise((resolve) => server.close(() => resolve()));
      const clients = [...server.clients];
      const delays = spreadDelays(clients.length, windowMs, random);
      for (const [index, client] of clients.entries()) {
        const leave = (): void => client.close(GOING_AWAY, 'going away');
        timers.add(clock.setTimeout(leave, delays[index] ?? 0));
      }
    },
    gone: () => closed.finally(clear),
    open() {
      const { size } = server.clients;
      return size === 0 ? [] : [`${size} WebSocket connection${size === 1 ? '' : 's'}`];
    },
    async cut() {
      clear();
      for (const client of server.clients) client.terminate();
    },
    release: clear,
  };
}
