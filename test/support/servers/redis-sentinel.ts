import { redisCommand, startRedis } from './redis.js';
import { type ServerGroup, createServerGroup, untilTrue } from './server-group.js';

/** The name under which the sentinel knows the master. */
export const SENTINEL_GROUP = 'orders';

/** A sentinel (the first member), its master, and replicas. */
export interface SentinelGroup extends ServerGroup {
  /** The port of the master as the sentinel tells it. */
  masterPort(): Promise<number>;
}

/** Starts a real sentinel that watches over a master and its replicas. */
export async function startRedisSentinel(options: { replicas: number }): Promise<SentinelGroup> {
  const master = await startRedis();
  const replicas = await Promise.all(
    Array.from({ length: options.replicas }, () => startRedis({ replicaOf: master.port })),
  );
  const sentinel = await startRedis({ sentinel: configuration(master.port) });
  const masterPort = async () => {
    const words = ['SENTINEL', 'get-master-addr-by-name', SENTINEL_GROUP];
    const answer = await redisCommand(sentinel.port, ...words);
    return Number(answer.split('\r\n')[4]);
  };
  const knows = async () => {
    const answer = await redisCommand(sentinel.port, 'SENTINEL', 'master', SENTINEL_GROUP);
    const fields = answer.split('\r\n').filter((line) => !/^[*$]/.test(line));
    const field = (name: string) => fields[fields.indexOf(name) + 1];
    return field('flags') === 'master' && Number(field('num-slaves')) >= options.replicas;
  };
  const proveReady = () => untilTrue('the sentinel knows its servers', knows);
  const group = createServerGroup([sentinel, master, ...replicas], { proveReady });
  await proveReady();
  return Object.assign(group, { masterPort });
}

function configuration(masterPort: number): string {
  return `
sentinel monitor ${SENTINEL_GROUP} 127.0.0.1 ${masterPort} 1
sentinel down-after-milliseconds ${SENTINEL_GROUP} 1000
sentinel failover-timeout ${SENTINEL_GROUP} 5000
`;
}
