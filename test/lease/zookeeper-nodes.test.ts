import { describe, expect, it } from 'vitest';
import {
  type ZookeeperLeaseClient,
  type ZookeeperLeaseStat,
} from '../../src/lease/zookeeper-client.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { isClaim, look, nodesOf, pathOf, valueOf } from '../../src/lease/zookeeper-nodes.js';

const call = { signal: new AbortController().signal, clock: createManualClock() };
const place = { root: '/hale/lease', acl: [] };

function bytes(number: bigint): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigInt64BE(number);
  return buffer;
}

const stat = (czxid: bigint): ZookeeperLeaseStat => ({
  czxid: bytes(czxid),
  mzxid: bytes(czxid + 1n),
  version: 1,
  ephemeralOwner: bytes(7n),
});

const refusal = (code: number) => Object.assign(new Error('refused'), { code });

/** Nodes in memory. */
function clientOf(nodes: Record<string, [string, ZookeeperLeaseStat]>): ZookeeperLeaseClient {
  const client: Partial<ZookeeperLeaseClient> = {
    getData(path, done) {
      const [data, of] = nodes[path] ?? [];
      if (data === undefined || of === undefined) done(refusal(-101), null as never, null as never);
      else done(null, Buffer.from(data), of);
    },
    getChildren(path: string, done: unknown) {
      const below = Object.keys(nodes).filter((node) => node.startsWith(`${path}/`));
      const children = [...below.map((node) => node.slice(path.length + 1)), 'gone'];
      (done as (error: unknown, children: string[]) => void)(null, children);
    },
  };
  return client as ZookeeperLeaseClient;
}

const request = { name: 'orders', holder: 'a', ttlMs: 30_000, data: 'x' };

describe('the nodes of leases in ZooKeeper', () => {
  it('H4: tokens are exact beyond 2^53', async () => {
    const big = 2n ** 53n + 1n;
    const value = String(valueOf(request, 20_000));
    const client = clientOf({ '/hale/lease/orders': [value, stat(big)] });
    const node = await look(client, place, 'orders');
    expect(node).toMatchObject({ holder: 'a', token: big, ttlMs: 20_000, data: 'x' });
    expect(node?.revision).toBe(String(big + 1n));
    expect(isClaim(node, { ...request, token: big })).toBe(true);
    expect(isClaim(node, { ...request, token: big - 1n })).toBe(false);
    expect(isClaim(node, { ...request, holder: 'b', token: big })).toBe(false);
  });

  it('a name is one node, whatever it holds', () => {
    expect(pathOf(place, 'orders-0')).toBe('/hale/lease/orders-0');
    expect(pathOf(place, 'a/b')).toBe('/hale/lease/a%2Fb');
    expect(pathOf(place, '.')).toBe('/hale/lease/%2E');
    expect(pathOf(place, '..')).toBe('/hale/lease/%2E%2E');
    expect(pathOf(place, '%2E')).toBe('/hale/lease/%252E');
  });

  it('H7: lists by name, and leaves out what went away meanwhile', async () => {
    const value = String(valueOf(request, 20_000));
    const names = ['b.2', 'b.1', 'c'];
    const nodes = names.map((name) => [pathOf(place, name), [value, stat(5n)]] as const);
    const client = clientOf(Object.fromEntries(nodes) as never);
    const listed = (await nodesOf(client, place, 'b', call)).map(({ name }) => name);
    expect(listed).toEqual(['b.1', 'b.2']);
    expect((await nodesOf(client, place, '', call)).map(({ name }) => name)).toEqual([
      'b.1',
      'b.2',
      'c',
    ]);
  });

  it('H7: a node that is no lease is told, by its path, and hides no other', async () => {
    const value = String(valueOf(request, 20_000));
    const odd = {
      [`${place.root}/%zz`]: ['secret', stat(5n)],
      [`${place.root}/b`]: ['secret', stat(5n)],
    };
    const client = clientOf({ ...odd, [`${place.root}/a`]: [value, stat(5n)] } as never);
    const foreign: string[] = [];
    const listening = { ...call, onForeign: (key: string) => void foreign.push(key) };
    expect((await nodesOf(client, place, '', listening)).map(({ name }) => name)).toEqual(['a']);
    expect(foreign).toEqual(['/hale/lease/%zz', '/hale/lease/b']);
  });

  it('what is no lease proves nothing', async () => {
    const value = String(valueOf(request, 20_000));
    for (const [text, of] of [
      ['', stat(1n)],
      ['{"holder":7}', stat(1n)],
      ['{"holder":"a"}', stat(1n)],
      [value, { ...stat(1n), ephemeralOwner: bytes(0n) }],
    ] as const) {
      const client = clientOf({ '/hale/lease/orders': [text, of] });
      await expect(look(client, place, 'orders')).rejects.toThrow(/something else than a lease/);
    }
  });
});
