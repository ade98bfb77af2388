import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leaseStoreFromUrl } from '../../../src/lease/url/index.js';
import { createManualClock } from '../../../src/testing/manual-clock.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hale-lease-url-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('leaseStoreFromUrl of a SQLite file', () => {
  it('H5: keeps leases in the file, and opens it again after close()', async () => {
    const clock = createManualClock();
    const call = { clock, signal: new AbortController().signal };
    const store = await leaseStoreFromUrl(`sqlite:${folder}/leases.db?table=mine`);
    const request = { name: 'orders', holder: 'a', ttlMs: 1000, data: 'x' };
    expect(await store.acquire(request, call)).toMatchObject({ kind: 'granted', token: 1n });
    store.close?.();
    store.close?.();
    const claim = { name: 'orders', holder: 'a', token: 1n };
    expect(await store.renew({ ...request, ...claim }, call)).toMatchObject({ kind: 'renewed' });
    const told: string[] = [];
    const watch = store.watch({}, ({ kind }) => told.push(kind), { clock });
    await clock.advance(1);
    await watch.close();
    expect(told).toEqual(['held', 'synced']);
    expect(await store.release(claim, call)).toEqual({ kind: 'released' });
    expect(await store.list({}, call)).toEqual([]);
    store.close?.();
  });
});
