import { describe, expect, it } from 'vitest';
import { leaseStoreFromUrl } from '../../../src/lease/url/index.js';
import { hostsOf, httpServersOf, parseLeaseUrl } from '../../../src/lease/url/lease-url.js';
import { loadClient, loadFromHere } from '../../../src/lease/url/load-client.js';

const parse = (url: string) =>
  parseLeaseUrl(url, {
    ...{ postgres: 'table', sqlite: 'table', memory: undefined },
    ...{ 'etcd+http': 'prefix', 'etcd+https': 'prefix' },
  });

describe('parseLeaseUrl', () => {
  it.each([
    ['memory:', { scheme: 'memory', rest: '' }],
    ['SQLITE:./a.db', { scheme: 'sqlite', rest: './a.db' }],
    ['sqlite:/a?table=t', { scheme: 'sqlite', rest: '/a', own: 't' }],
    [
      'postgres://a:b@c:1/d?sslmode=require&table=s.t',
      { scheme: 'postgres', rest: '//a:b@c:1/d?sslmode=require', own: 's.t' },
    ],
    ['etcd+http://a:1?prefix=x/', { scheme: 'etcd+http', rest: '//a:1', own: 'x/' }],
  ])('H5: takes %s apart, and leaves to the client what is the client’s', (url, expected) => {
    expect(parse(url)).toEqual(expected);
  });

  it.each(['mysql://root:secret@host/db', 'root:secret@host', '', '://secret'])(
    'H5: refuses "%s" with the schemes it knows, and without a secret',
    (url) => {
      expect(() => parse(url)).toThrow(
        /leaseUrl must be a URL that begins with postgres:, sqlite:/,
      );
      expect(() => parse(url)).not.toThrow(/secret/);
    },
  );
});

describe('hostsOf', () => {
  it('H5: knows several hosts, IPv6, and a user with an encoded password', () => {
    expect(hostsOf(parse('etcd+http://me:p%40ss:w@a:1,[::1]:2/base'))).toEqual({
      hosts: ['a:1', '[::1]:2'],
      path: '/base',
      user: { name: 'me', password: 'p@ss:w' },
    });
    expect(httpServersOf(parse('etcd+https://a:1,b:2'))).toEqual({
      urls: ['https://a:1', 'https://b:2'],
    });
    expect(hostsOf(parse('etcd+http://%:%zz@a')).user).toEqual({ name: '%', password: '%zz' });
  });

  it.each(['etcd+http:', 'etcd+http://', 'etcd+http://a,,b', 'etcd+http://u:secret@'])(
    'H5: refuses %s, which names no host, without a secret',
    (url) => {
      expect(() => hostsOf(parse(url))).toThrow(/leaseUrl must be etcd\+http:\/\/host:port/);
      expect(() => hostsOf(parse(url))).not.toThrow(/secret/);
    },
  );
});

describe('loadClient', () => {
  const missing = (name: string) =>
    Object.assign(new Error(`Cannot find module '${name}'\nRequire stack:`), {
      code: 'MODULE_NOT_FOUND',
    });

  it('H5: takes the first package that is installed', async () => {
    const load = async (name: string): Promise<unknown> => {
      if (name === 'one') throw missing('one');
      return { default: { Client: 1 }, Named: 2 };
    };
    const client = await loadClient(load, ['one', 'two'], 'x');
    expect(client.name).toBe('two');
    expect([client.get('Client'), client.get('Named')]).toEqual([1, 2]);
  });

  it('H5: says what to install when none is', async () => {
    const load = async (name: string): Promise<never> => {
      throw missing(name);
    };
    await expect(loadClient(load, ['ioredis', 'redis'], 'redis')).rejects.toMatchObject({
      code: 'HALE_CLIENT_MISSING',
      message:
        'redis: needs the package "ioredis" or "redis", which was not found: npm install ioredis',
    });
  });

  it('H5: does not take a package that is broken for one that is missing', async () => {
    const cause = missing('something it needs');
    const load = async (): Promise<never> => {
      throw cause;
    };
    await expect(loadClient(load, ['pg'], 'postgres')).rejects.toMatchObject({
      code: 'HALE_CLIENT_MISSING',
      message: 'the package "pg" could not be loaded',
      cause,
    });
  });

  it('H5: finds by default what is installed in the project, and nothing else', async () => {
    expect(await loadFromHere('pg')).toHaveProperty('Client');
    await expect(loadFromHere('no-such-package-of-hale')).rejects.toThrow(/no-such-package/);
  });
});

describe('leaseStoreFromUrl', () => {
  it.each([
    ['memory:', 'memory'],
    ['postgres://localhost/leases?table=a.b', 'postgres'],
    ['postgresql://localhost/leases', 'postgres'],
    ['redis://localhost?prefix=mine:', 'redis'],
    ['rediss://localhost', 'redis'],
    ['etcd+http://localhost:2379', 'etcd'],
    ['etcd+https://me:secret@one:2379,two:2379?prefix=mine/', 'etcd'],
    ['nats://me:secret@one:4222,two:4222?bucket=mine', 'nats'],
    ['zookeeper://one:2181,two:2181', 'zookeeper'],
    ['zookeeper://me:secret@one:2181/mine', 'zookeeper'],
    ['consul+http://localhost:8500', 'consul'],
    ['consul+https://:secret@localhost:8501?prefix=mine/', 'consul'],
  ])('H5: makes a store of %s, and connects to nothing', async (url, backend) => {
    const store = await leaseStoreFromUrl(url);
    expect(store.backend).toBe(backend);
    store.close?.();
  });

  it('H5: takes nats 2 where the packages of 3 are not installed', async () => {
    const load = async (name: string): Promise<unknown> => {
      if (name === 'nats') return loadFromHere(name);
      throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' });
    };
    expect((await leaseStoreFromUrl('nats://localhost', { load })).backend).toBe('nats');
  });

  it('H5: takes node-redis where ioredis is not installed', async () => {
    const load = (name: string): Promise<unknown> =>
      loadFromHere(name === 'ioredis' ? 'ioredis-is-not-installed' : name).catch((error) => {
        throw Object.assign(error as Error, { message: `Cannot find module '${name}'` });
      });
    const store = await leaseStoreFromUrl('redis://localhost', { load });
    expect(store.backend).toBe('redis');
  });

  it.each([
    ['postgres://localhost/x?table=a%20b', /postgresLease.table/],
    ['postgres://localhost/x?prefix=a', /leaseUrl must be postgres: without prefix=/],
    ['memory:?table=a', /leaseUrl must be memory: without table=/],
    ['nats://localhost?bucket=a.b', /natsLease.bucket/],
    ['nats:', /leaseUrl must be nats/],
    ['zookeeper://', /leaseUrl must be zookeeper/],
    ['consul+http://a,b', /leaseUrl must be the URL of one agent/],
    ['consul+http://me:secret@a', /leaseUrl must be consul\+http:\/\/:token@host/],
    ['kubernetes:apps', /kubernetes/i],
    ['redis://localhost?prefix=', /redisLease.prefix/],
    ['sqlite:', /leaseUrl must be a text/],
    ['etcd+http://', /leaseUrl must be etcd/],
    ['mongodb://localhost', /leaseUrl must be a URL that begins with/],
  ])('H5: refuses %s', async (url, message) => {
    await expect(leaseStoreFromUrl(url)).rejects.toThrow(message);
  });
});
