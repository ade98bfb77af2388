import { Cluster } from 'ioredis';
import { Cluster as Cluster6 } from 'ioredis6';
import { createCluster } from 'redis';
import { createCluster as createCluster4 } from 'redis4';
import { createCluster as createCluster6 } from 'redis6';
import { afterAll, beforeAll, describe } from 'vitest';
import { type RedisClusterLike, type RedisLike, redisPing } from '../../src/checks/redis.js';
import type { CaseId, ConformanceTarget } from '../../src/testing/index.js';
import { itConforms } from '../support/conformance.js';
import { startRedisCluster } from '../support/servers/redis-cluster.js';
import type { ServerGroup } from '../support/servers/server-group.js';

let cluster: ServerGroup;
beforeAll(async () => {
  cluster = await startRedisCluster();
});
afterAll(() => cluster.dispose());

type Connect = (target: ConformanceTarget) => Connected;

interface Connected {
  client: RedisLike | RedisClusterLike;
  close(): unknown;
}

/** Nodes tell their own addresses; the client has to go through the proxies before them. */
function addressMap(target: ConformanceTarget) {
  const pairs = cluster.addresses.map((told) => [`${told.host}:${told.port}`, target.at(told)]);
  return Object.fromEntries(pairs) as Record<string, { host: string; port: number }>;
}

/** By default a cluster of three nodes is asked anew every 100 ms, which is more than the 25 attempts a second allowed. */
const clusterRetryStrategy = () => 200;

function ioredis5(target: ConformanceTarget): Connected {
  const natMap = addressMap(target);
  const client = new Cluster([...target.addresses], { natMap, clusterRetryStrategy });
  client.on('error', () => {});
  return { client, close: () => client.disconnect() };
}

function ioredis6(target: ConformanceTarget): Connected {
  const natMap = addressMap(target);
  const client = new Cluster6([...target.addresses], { natMap, clusterRetryStrategy });
  client.on('error', () => {});
  return { client, close: () => client.disconnect() };
}

/** A cluster of node-redis does not try again when its first `connect()` fails; the application has to. */
function connectUntilClosed(client: { connect(): Promise<unknown> }, close: () => unknown) {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const connect = () => {
    client.connect().catch(() => {
      if (!isClosed) timer = setTimeout(connect, 250);
    });
  };
  connect();
  return () => {
    isClosed = true;
    clearTimeout(timer);
    return close();
  };
}

const settings = (target: ConformanceTarget) => ({
  rootNodes: target.addresses.map((socket) => ({ socket })),
  nodeAddressMap: addressMap(target),
});

function nodeRedis4(target: ConformanceTarget): Connected {
  const client = createCluster4(settings(target));
  client.on('error', () => {});
  return { client, close: connectUntilClosed(client, () => client.disconnect()) };
}

function nodeRedis5(target: ConformanceTarget): Connected {
  const client = createCluster(settings(target));
  client.on('error', () => {});
  const close = () => {
    try {
      client.destroy();
    } catch {
      // It gives up at the first node that is closed already.
      for (const { client: node } of client.masters) if (node?.isOpen) node.destroy();
    }
  };
  return { client, close: connectUntilClosed(client, close) };
}

function nodeRedis6(target: ConformanceTarget): Connected {
  const client = createCluster6(settings(target));
  client.on('error', () => {});
  return { client, close: connectUntilClosed(client, () => client.destroy()) };
}

/** The parts in which clusters of two majors could differ; one of ioredis plays all cases. */
const SOME: readonly CaseId[] = ['healthy', 'late', 'stopped', 'frozen', 'half_open', 'disposed'];

describe.each<[string, Connect, (readonly CaseId[])?]>([
  ['a cluster of ioredis 5', ioredis5],
  ['a cluster of ioredis 6', ioredis6, SOME],
  ['a cluster of redis 4', nodeRedis4, SOME],
  // Not more: once every node was away, the client of one may stay closed for good.
  ['a cluster of redis 5', nodeRedis5, ['healthy', 'late', 'frozen', 'slow', 'leak', 'disposed']],
  // Not more: it closes itself for good when every node is away at once.
  ['a cluster of redis 6', nodeRedis6, ['healthy', 'late', 'frozen', 'disposed']],
])('redisPing with %s against a real Redis Cluster', (name, connect, only) => {
  itConforms(
    {
      name,
      server: () => cluster,
      timeoutMs: 200,
      // Two for each node.
      heldConnections: 6,
      exceptions: { wrong_password: { because: 'this cluster has no password' } },
      createSubject: (target) => {
        const { client, close } = connect(target);
        return { check: redisPing(client), close };
      },
    },
    only,
  );
});
