import { describe, expect, it } from 'vitest';
import type { LeaseStore } from '../../../src/core/lease-store.js';
import { type PollWatch, createPollWatch } from '../../../src/lease/poll-watch.js';
import { memoryLease } from '../../../src/lease/stores/memory.js';
import { createManualClock } from '../../../src/testing/manual-clock.js';
import { TTL, brief, openTestFleet, setUpFleet } from './support.js';

const LOOK = 1000;

/** A registry such as etcd: it does not tell when a lease expires, and hints at once that one came or went. */
async function likeEtcd(ttlMs: number) {
  const clock = createManualClock();
  const memory = memoryLease();
  let poll: PollWatch | undefined;
  const store: LeaseStore = {
    ...memory,
    list: async (query, call) =>
      (await memory.list(query, call)).map(({ expiresInMs: _, ...record }) => record),
    watch: (query, listener, context) =>
      (poll = createPollWatch({ context, listener, list: (call) => store.list(query, call) })),
  };
  const call = { clock, signal: new AbortController().signal };
  const request = { name: 'a', holder: 'x', ttlMs, data: '' };
  const granted = await store.acquire(request, call);
  const claim = { ...request, token: granted.kind === 'granted' ? granted.token : 0n };
  const { events } = openTestFleet({ store, clock, everyMs: LOOK, preserve: false });
  const renew = () => store.renew(claim, call);
  // Each heartbeat comes just after a look.
  const beat = async () => {
    await clock.advance(10);
    await renew();
    await clock.advance(LOOK - 10);
  };
  return {
    clock,
    renew,
    beat,
    release: () => store.release(claim, call),
    hint: async () => {
      poll?.hint();
      await clock.advance(100);
    },
    take: () => events.splice(0).map(brief),
  };
}

describe('one whose lease is gone', () => {
  it('H7: is down if it can have expired, though its last heartbeat was heard later', async () => {
    const { clock, beat, hint, take } = await likeEtcd(5000);
    for (let beats = 0; beats < 10; beats += 1) await beat();
    expect(take()).toEqual(['joined a', 'registry_back']);
    // Its last heartbeat is 990 ms older than the look that told of it.
    await clock.advance(5000 - 990);
    await hint();
    expect(take()).toEqual(['suspect a', 'down a']);
  });

  it('H7: is down if its last heartbeat came while the observer was frozen', async () => {
    const { clock, beat, renew, hint, take } = await likeEtcd(TTL);
    for (let beats = 0; beats < 20; beats += 1) {
      await beat();
      await clock.advance(9000);
    }
    take();
    await clock.advance(10);
    await renew();
    // Heard 4.9 s late; a pause that short counts as time.
    clock.jump(4900);
    await clock.advance(TTL - 4900);
    await hint();
    expect(take()).toContain('down a');
  });

  it('H7: has left if it was gone before it could expire', async () => {
    const { clock, beat, release, hint, take } = await likeEtcd(5000);
    for (let beats = 0; beats < 10; beats += 1) await beat();
    take();
    await clock.advance(2000);
    await release();
    await hint();
    expect(take()).toEqual(['left a']);
  });

  it('H7: of one that was seen only once, at the first look, nobody can tell: it has not left', async () => {
    const { clock, release, hint, take } = await likeEtcd(5000);
    await clock.advance(100);
    expect(take()).toEqual(['joined a', 'registry_back']);
    await release();
    await hint();
    expect(take()).toEqual(['suspect a']);
    await clock.advance(6000);
    expect(take()).toEqual(['down a']);
  });

  it('H7: has left, or is down, where the registry keeps why, however late that is heard', async () => {
    const { clock, registry, take, beatFor } = setUpFleet({ preserve: false });
    for (const name of ['a', 'b', 'c']) registry.beat(name);
    registry.sync();
    await beatFor(200_000, ['a', 'b', 'c']);
    take();
    registry.tell({ kind: 'free', name: 'a', token: 1n, why: 'expired' });
    await clock.advance(100);
    expect(take()).toEqual(['suspect a', 'down a']);
    clock.jump(2 * TTL);
    registry.tell({ kind: 'free', name: 'b', token: 1n, why: 'released' });
    await clock.advance(100);
    expect(take()).toContain('left b');
  });

  it('H7: has left, where the registry keeps why, though it was away itself meanwhile', async () => {
    const { clock, registry, take, beatFor } = setUpFleet({ preserve: false });
    for (const name of ['a', 'b']) registry.beat(name);
    registry.sync();
    await beatFor(200_000, ['a', 'b']);
    take();
    registry.fail();
    registry.tell({ kind: 'free', name: 'a', token: 1n, why: 'released' });
    registry.tell({ kind: 'free', name: 'b', token: 1n });
    registry.sync();
    await clock.advance(100);
    expect(take()).toEqual(['registry_lost', 'registry_back', 'left a', 'suspect b']);
  });
});
