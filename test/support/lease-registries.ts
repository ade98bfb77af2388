import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Cut, fileCuts, networkCuts } from './lease-cuts.js';
import type { RegistryAddress } from './lease-stores.js';
import { startSmallConsul } from './servers/consul.js';
import { startEtcd } from './servers/etcd.js';
import { startRealKubernetes } from './servers/kubernetes-real.js';
import { startSmallKubernetes } from './servers/kubernetes.js';
import type { ManagedServer } from './servers/managed-server.js';
import { startNats } from './servers/nats.js';
import { startPostgres } from './servers/postgres.js';
import { startRedis } from './servers/redis.js';
import { startZookeeper } from './servers/zookeeper.js';

/** A registry that runs. */
export interface Registry {
  /** Where it is: a server that all share, or each time another file. */
  address(): RegistryAddress;
  dispose(): Promise<void>;
}

/** A kind of registry for stories about leases: add a line here, and one to STORES. */
export interface RegistryKind {
  readonly name: RegistryAddress['backend'];
  readonly ttlMs: number;
  /** How a holder is cut off from it in a run. */
  cuts(run: number): readonly Cut[];
  start(): Promise<Registry>;
}

const TTL_MS = 1500;

export const REGISTRIES: readonly RegistryKind[] = [
  { name: 'sqlite', ttlMs: TTL_MS, cuts: fileCuts, start: startFile },
  served('postgres', TTL_MS, () => startPostgres()),
  served('consul', TTL_MS, () => startSmallConsul({ sessionTtlMinMs: TTL_MS })),
  served('redis', TTL_MS, () => startRedis({ durable: true })),
  // Whole seconds from here on, or what comes close to it.
  served('etcd', 2000, () => startEtcd()),
  served('nats', TTL_MS, () => startNats({ jetStream: true })),
  served('zookeeper', 2000, () => startZookeeper()),
  { name: 'kubernetes', ttlMs: 2000, cuts: networkCuts, start: startKubernetes },
];

function served(
  name: RegistryAddress['backend'],
  ttlMs: number,
  startServer: () => Promise<ManagedServer>,
): RegistryKind {
  return {
    name,
    ttlMs,
    cuts: networkCuts,
    async start() {
      const server = await startServer();
      const { port, url } = server;
      const address = { backend: name, port, url, from: import.meta.url };
      return { address: () => address, dispose: () => server.dispose() };
    },
  };
}

async function startFile(): Promise<Registry> {
  const folder = await mkdtemp(path.join(tmpdir(), 'hale-registry-'));
  let files = 0;
  const next = (): string => path.join(folder, `leases-${(files += 1)}.db`);
  return {
    address: () => ({ backend: 'sqlite', port: 0, url: next(), from: import.meta.url }),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

async function startKubernetes(): Promise<Registry> {
  const program = process.env['HALE_TEST_KUBE_APISERVER'];
  const start = program ? () => startRealKubernetes(program) : startSmallKubernetes;
  const { server, ca, tokenFile, dispose } = await start();
  const { port, url } = server;
  const address = {
    backend: 'kubernetes',
    port,
    url,
    from: import.meta.url,
    ca,
    tokenFile,
  } as const;
  return { address: () => address, dispose };
}
