import { S3 } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { etcdGuard, s3Guard } from '../../../src/lease-guards.js';
import { type S3Server, type S3ServerOptions, startS3Server } from '../../support/s3-server.js';
import { startEtcd } from '../../support/servers/etcd.js';
import type { ManagedServer } from '../../support/servers/managed-server.js';
import { describeGuard, fenced, halfWay, label } from './guard-contract.js';

let etcd: ManagedServer;
let s3: S3Server;

beforeAll(async () => {
  [etcd, s3] = await Promise.all([startEtcd(), startS3Server()]);
});

afterAll(async () => {
  await etcd?.dispose();
  await s3?.close();
});

let resources = 0;
const nextName = () => `log_${(resources += 1)}`;

/** Asks etcd itself. */
async function etcdRange(prefix: string): Promise<{ value: string; mod_revision: string }[]> {
  const [key, range_end] = [prefix, `${prefix}~`].map((text) =>
    Buffer.from(text).toString('base64'),
  );
  const body = JSON.stringify({ key, range_end });
  const answer = await fetch(`${etcd.url}/v3/kv/range`, { method: 'POST', body });
  const { kvs = [] } = (await answer.json()) as { kvs?: { value: string; mod_revision: string }[] };
  return kvs.toSorted((one, two) => Number(one.mod_revision) - Number(two.mod_revision));
}

describeGuard('etcd', async () => {
  const name = nextName();
  const guard = etcdGuard(etcd.url);
  let puts = 0;
  return {
    write: async (claim) => {
      const put = `${name}/${(puts += 1)}`;
      const writes = [{ put, value: label(claim) }, { delete: `${name} is no key` }];
      await guard.write(name, claim, writes);
    },
    // etcd refuses to write a key twice in one transaction.
    fail: (claim) => {
      const put = { put: `${name}/twice`, value: 'x' };
      return guard.write(name, claim, [put, put]).then(
        () => {},
        () => halfWay(),
      );
    },
    written: async () =>
      (await etcdRange(`${name}/`)).map(({ value }) => Buffer.from(value, 'base64').toString()),
    close: () => guard.close(),
  };
});

describe('etcdGuard', () => {
  it('ends with the signal of a grant, and guards nothing it cannot read', async () => {
    const name = nextName();
    const guard = etcdGuard(etcd.url, { prefix: 'other/' });
    const claim = { token: 1n, holder: 'a' };
    try {
      const ended = { ...claim, signal: AbortSignal.abort(new Error('the lease is gone')) };
      await expect(guard.write(name, ended, [])).rejects.toThrow('the lease is gone');
      expect(await etcdRange(`other/${name}`)).toEqual([]);
      const spoil = { put: `other/${name} spoilt`, value: 'something' };
      const revision = await guard.write(name, claim, [spoil]);
      expect(String(revision)).toBe((await etcdRange(`other/${name}`))[0]?.mod_revision);
      await expect(guard.write(`${name} spoilt`, claim, [])).rejects.toThrow(/something else/);
    } finally {
      guard.close();
    }
  });

  it('H4: an etcd that is frozen is waited for no longer than the time-out', async () => {
    const guard = etcdGuard(etcd.url, { timeoutMs: 200 });
    etcd.freeze();
    try {
      const written = guard.write(nextName(), { token: 1n, holder: 'a' }, []);
      await expect(written).rejects.toEqual(fenced('HALE_GUARD_TIMEOUT'));
    } finally {
      etcd.thaw();
      guard.close();
    }
  });

  it('refuses what it cannot use', () => {
    expect(() => etcdGuard('http://x', { timeoutMs: 0 })).toThrow(/etcdGuard.timeoutMs/);
    expect(() => etcdGuard([])).toThrow(/etcdGuard.url must be URLs of one protocol/);
    expect(() => etcdGuard('http://x', { prefix: '' })).toThrow(/etcdGuard.prefix/);
  });
});

const s3Client = (url: string) =>
  new S3({
    endpoint: url,
    region: 'eu-central-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: 'x', secretAccessKey: 'y' },
  });

describeGuard('S3', async () => {
  const name = nextName();
  const client = s3Client(s3.url);
  const guard = s3Guard(client, { bucket: 'shop', prefix: 'state/' });
  return {
    write: (claim) => guard.write(name, claim, { line: label(claim) }),
    fail: (claim) => guard.write(name, claim, 'spoil').catch(() => halfWay()),
    written: async () =>
      s3
        .stored(`/shop/state/${name}`)
        .map((body) => (JSON.parse(body) as { value: { line: string } }).value.line),
    close: () => client.destroy(),
  };
});

describe('s3Guard', () => {
  const claim = { token: 7n, holder: 'a' };
  const use = async (
    options: S3ServerOptions,
    work: (guard: ReturnType<typeof s3Guard>, client: S3, server: S3Server) => Promise<void>,
  ): Promise<void> => {
    const server = await startS3Server(options);
    const client = s3Client(server.url);
    try {
      await work(s3Guard(client, { bucket: 'shop' }), client, server);
    } finally {
      client.destroy();
      await server.close();
    }
  };

  it('reads what was written last, and by whom', () =>
    use({}, async (guard) => {
      expect(await guard.read('manifest')).toBe(undefined);
      await guard.write('manifest', claim, { part: 'orders-7.parquet' });
      expect(await guard.read('manifest')).toEqual({
        ...claim,
        value: { part: 'orders-7.parquet' },
      });
    }));

  it('H4: the same content under a newer token is another object: ETags are made of content alone', () =>
    use({}, async (guard, client) => {
      await guard.write('manifest', claim, 'same');
      const before = await client.getObject({ Bucket: 'shop', Key: 'manifest' });
      await guard.write('manifest', { token: 8n, holder: 'b' }, 'same');
      const after = await client.getObject({ Bucket: 'shop', Key: 'manifest' });
      expect(after.ETag).not.toBe(before.ETag);
      await expect(guard.write('manifest', claim, 'old')).rejects.toEqual(fenced('HALE_FENCED'));
    }));

  it('says so when a server ignores conditions, each time', () =>
    use({ conditions: false }, async (guard) => {
      await expect(guard.write('manifest', claim, 1)).rejects.toThrow(/ignores If-Match/);
      await expect(guard.write('manifest', claim, 1)).rejects.toEqual(fenced('HALE_STATE'));
    }));

  it('asks for the proof once', () =>
    use({}, async (_, client) => {
      const asked: string[] = [];
      const counting = {
        getObject: (input: { Bucket: string; Key: string }) => client.getObject(input),
        putObject: (input: Parameters<Parameters<typeof s3Guard>[0]['putObject']>[0]) => {
          asked.push(input.IfMatch ?? `none match ${input.IfNoneMatch}`);
          return client.putObject(input);
        },
      };
      const guard = s3Guard(counting, { bucket: 'shop' });
      await guard.write('manifest', claim, 1);
      expect(asked.splice(0)).toEqual(['none match *', '"hale"']);
      await guard.write('manifest', claim, 2);
      expect(asked).toEqual([expect.stringMatching(/^"[0-9a-f]{32}"$/)]);
    }));

  it('leaves alone what was not written through it, and passes on what the server refuses', () =>
    use({}, async (guard, client) => {
      await client.putObject({ Bucket: 'shop', Key: 'theirs', Body: '{"token":"x"}' });
      await expect(guard.write('theirs', claim, 1)).rejects.toThrow(
        /not written through the guard/,
      );
      await expect(guard.read('theirs')).rejects.toThrow(/"theirs" was not written through/);
      await expect(guard.write('manifest', claim, 'spoil')).rejects.toMatchObject({
        $metadata: { httpStatusCode: 500 },
      });
    }));

  it('refuses what it cannot use', () => {
    expect(() => s3Guard({} as never, { bucket: 'x' })).toThrow(/s3Guard.client must be a client/);
    const client = s3Client('http://127.0.0.1:1');
    expect(() => s3Guard(client, { bucket: '' })).toThrow(/s3Guard.bucket/);
    client.destroy();
  });
});
