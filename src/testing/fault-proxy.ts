import type { Socket } from 'node:net';
import type { Clock, Timer } from '../core/clock.js';
import { integerOption } from '../core/validate.js';
import { systemClock } from '../engine/system-clock.js';
import { Link, type LinkBehaviour } from './fault-proxy-link.js';
import { createReopenableListener } from './fault-proxy-listener.js';
import { type FaultMode, validateMode } from './fault-proxy-mode.js';

export type { FaultMode } from './fault-proxy-mode.js';

/** Where a fault proxy listens and where it forwards to. */
export interface FaultProxyOptions {
  target: { host: string; port: number };
  /** @defaultValue `{ host: '127.0.0.1', port: 0 }`, which picks a free port */
  listen?: { host?: string; port?: number };
  /** @defaultValue the system clock */
  clock?: Clock;
}

/** A TCP proxy that breaks the connections through it on demand. */
export interface FaultProxy {
  /** The port it listens on; the same for its whole life. */
  readonly port: number;
  readonly mode: FaultMode;
  /** Number of connections through it that their client keeps open. */
  readonly connections: number;
  /** Number of client connections it has accepted so far, those it reset at once included. */
  readonly accepted: number;
  /**
   * Resolves once the mode is in effect, for open and for new connections.
   * @throws OptionError `HALE_OPTION_INVALID` (as a rejection) when the mode is out of its range.
   */
  set(mode: FaultMode): Promise<void>;
  /** Resets every connection, closes the listener and clears every timer; idempotent. */
  close(): Promise<void>;
}

type Treatment = LinkBehaviour | 'reset';

const FORWARD = { kind: 'forward', latencyMs: 0, resetAfterBytes: Infinity } as const;

function treatmentOf(mode: FaultMode): Treatment {
  switch (mode.kind) {
    case 'ok':
      return FORWARD;
    case 'slow':
      return { ...FORWARD, latencyMs: mode.latencyMs };
    case 'reset-after':
      return { ...FORWARD, resetAfterBytes: mode.bytes };
    case 'hang':
      return { kind: 'swallow' };
    case 'cut':
    case 'refuse':
    case 'oscillate':
      return 'reset';
  }
}

/** The open links and what happens to them and to those that follow. */
function createSwitchboard(target: { host: string; port: number }, clock: Clock) {
  const links = new Set<Link>();
  let treatment: Treatment = FORWARD;
  let accepted = 0;
  return {
    get size() {
      return [...links].filter((link) => !link.clientEnded).length;
    },
    get accepted() {
      return accepted;
    },
    accept(client: Socket): void {
      accepted += 1;
      if (treatment === 'reset') {
        client.on('error', () => {});
        client.resetAndDestroy();
        return;
      }
      const onClosed = () => links.delete(link);
      const link = new Link({ client, target, clock, behaviour: treatment, onClosed });
      links.add(link);
    },
    treat(next: Treatment): void {
      treatment = next;
      for (const link of links) {
        if (next === 'reset') link.reset();
        else link.behave(next);
      }
    },
  };
}

/**
 * Starts a TCP proxy in mode `ok` in front of `target`, which need not be reachable.
 * @throws OptionError `HALE_OPTION_INVALID` when a port is out of range.
 */
export async function createFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { target, clock = systemClock } = options;
  const { host = '127.0.0.1', port = 0 } = options.listen ?? {};
  integerOption('target.port', target.port, { min: 1, max: 65_535 });
  integerOption('listen.port', port, { min: 0, max: 65_535 });
  const board = createSwitchboard(target, clock);
  const listener = await createReopenableListener({ host, port }, (client) => board.accept(client));
  let mode: FaultMode = { kind: 'ok' };
  let timer: Timer | undefined;
  let closed = false;
  let pending: Promise<void> = Promise.resolve();

  function oscillate(periodMs: number, treatment: Treatment): void {
    board.treat(treatment);
    const after = treatment === 'reset' ? FORWARD : 'reset';
    timer = clock.setTimeout(() => oscillate(periodMs, after), periodMs);
  }

  async function apply(requested: FaultMode): Promise<void> {
    timer?.clear();
    timer = undefined;
    if (closed || requested.kind === 'refuse') {
      listener.close();
      board.treat('reset');
      return;
    }
    if (requested.kind === 'oscillate') oscillate(requested.periodMs, 'reset');
    else board.treat(treatmentOf(requested));
    await listener.open();
  }

  function enqueue(requested: FaultMode): Promise<void> {
    mode = requested;
    const applied = pending.then(() => apply(requested));
    // One failed change (the port was taken meanwhile) must not fail the ones after it.
    pending = applied.catch(() => {});
    return applied;
  }

  return {
    port: listener.port,
    get mode() {
      return mode;
    },
    get connections() {
      return board.size;
    },
    get accepted() {
      return board.accepted;
    },
    set: async (requested) => enqueue(validateMode(requested)),
    close() {
      closed = true;
      return enqueue({ kind: 'refuse' });
    },
  };
}
