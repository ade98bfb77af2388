import { systemClock } from '../../src/engine/system-clock.js';
import type { LeaseStore } from '../../src/core/lease-store.js';
import { type FaultProxy, createFaultProxy } from '../../src/testing/fault-proxy.js';
import type { FaultMode } from '../../src/testing/fault-proxy.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import type { StoreFault, StoreHarness } from './lease-store-bench.js';

export interface ServerHarnessOptions {
  readonly server: ManagedServer;
  readonly proxy: FaultProxy;
  /** Opens a store that reaches the server through the proxy. */
  open(proxyPort: number): LeaseStore;
  readonly forceToken?: StoreHarness['forceToken'];
}

/** Puts a proxy that breaks connections in front of a server. */
export function proxyOf(server: ManagedServer): Promise<FaultProxy> {
  return createFaultProxy({ target: { host: '127.0.0.1', port: server.port } });
}

/** A registry that is a server of its own: it can be frozen, restarted, and cut off. */
export function serverHarness(options: ServerHarnessOptions): StoreHarness {
  const { server, proxy, open, forceToken } = options;
  const broken = (name: string, mode: FaultMode): StoreFault => ({
    name,
    begin: () => proxy.set(mode),
    end: () => proxy.set({ kind: 'ok' }),
  });
  return {
    open: () => open(proxy.port),
    clock: systemClock,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    ttlMs: 600,
    lateMs: 150,
    timeoutMs: 400,
    ownClock: true,
    restart: () => server.restart(),
    faults: [
      { name: 'frozen', begin: async () => server.freeze(), end: async () => server.thaw() },
      broken('half-open', { kind: 'hang' }),
      broken('cut', { kind: 'cut' }),
      broken('refused', { kind: 'refuse' }),
      { name: 'stopped', begin: () => server.stop(), end: () => server.restart() },
    ],
    connections: () => proxy.connections,
    ...(forceToken === undefined ? {} : { forceToken }),
  };
}
