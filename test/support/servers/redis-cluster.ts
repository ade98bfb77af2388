import type { ManagedServer } from './managed-server.js';
import { redisCommand, startRedis } from './redis.js';
import { type ServerGroup, createServerGroup, untilTrue } from './server-group.js';

const SLOTS = 16_384;

/** Starts a real Redis Cluster of three masters without replicas. */
export async function startRedisCluster(): Promise<ServerGroup> {
  const node = () => startRedis({ clusterNode: true });
  const members = [await node(), await node(), await node()] as const;
  const isWhole = (each: ManagedServer) => async () =>
    (await redisCommand(each.port, 'CLUSTER', 'INFO')).includes('cluster_state:ok');
  const proveReady = async () => {
    await Promise.all(members.map((each) => untilTrue('the cluster is whole', isWhole(each))));
  };
  const group = createServerGroup(members, {
    proveReady,
    // The nodes talk to each other on other ports.
    connections: () => members.reduce((sum, each) => sum + (each.connections() ?? 0), 0),
  });
  try {
    await join(members);
    await proveReady();
  } catch (error) {
    await group.dispose();
    throw error;
  }
  return group;
}

async function join(members: readonly ManagedServer[]): Promise<void> {
  const share = Math.ceil(SLOTS / members.length);
  for (const [index, { port }] of members.entries()) {
    const from = index * share;
    const slots = Array.from({ length: Math.min(share, SLOTS - from) }, (_, n) => String(from + n));
    await expectOk(port, 'CLUSTER', 'ADDSLOTS', ...slots);
    const first = String(members[0]?.port);
    if (index > 0) await expectOk(port, 'CLUSTER', 'MEET', '127.0.0.1', first);
  }
}

async function expectOk(port: number, ...words: readonly string[]): Promise<void> {
  const answer = await redisCommand(port, ...words);
  if (!answer.startsWith('+OK')) throw new Error(`${words.slice(0, 2).join(' ')}: ${answer}`);
}
