import { expect, it } from 'vitest';
import type { LeaseCall, LeaseEvent, LeaseRecord } from '../../src/core/lease-store.js';
import { createPollWatch } from '../../src/lease/poll-watch.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

const record = (revision: string): LeaseRecord => ({
  ...{ name: 'a', holder: 'x', token: 2n, ttlMs: 5000, revision, data: '' },
});

/** A watch of a registry whose answers take a while, and that is looked at each second. */
function setUp(look: (call: LeaseCall, looks: number) => readonly LeaseRecord[], tookMs = 0) {
  const clock = createManualClock();
  const events: LeaseEvent[] = [];
  let looks = 0;
  const watch = createPollWatch({
    context: { clock, everyMs: 1000, timeoutMs: 800 },
    listener: (event) => void events.push(event),
    async list(call) {
      looks += 1;
      const found = look(call, looks);
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, tookMs));
      return found;
    },
  });
  return { clock, events, watch };
}

it('H7: a heartbeat may be as old as the beginning of the look before', async () => {
  const { clock, events, watch } = setUp((_, looks) => [record(String(looks))], 400);
  await clock.advance(2000);
  const told = events.flatMap((event) => (event.kind === 'held' ? [event.withinMs] : []));
  // The looks begin at 0 and at 1400, and are answered 400 ms later.
  expect(told).toEqual([Infinity, 1800]);
  await watch.close();
});

it('H7: tells of the first hundred foreign keys, of each once', async () => {
  const { clock, events, watch } = setUp(({ onForeign }) => {
    for (let index = 0; index < 150; index += 1) onForeign?.(`stray-${index}`);
    return [];
  });
  await clock.advance(3000);
  const told = events.flatMap((event) => (event.kind === 'foreign' ? [event.key] : []));
  expect(told).toHaveLength(100);
  expect(new Set(told).size).toBe(100);
  await watch.close();
});

it('H7: tells of no foreign key that is heard after the look was given up', async () => {
  let late: LeaseCall['onForeign'];
  const { clock, events, watch } = setUp(({ onForeign }) => {
    late ??= onForeign;
    return [];
  }, 900);
  await clock.advance(850);
  late?.('stray');
  expect(events.map(({ kind }) => kind)).toEqual(['failed']);
  await watch.close();
});

it.each([
  [2n, 'released'],
  // Of the grant before: how this one ended is not known.
  [1n, undefined],
])('H7: how the grant with token %i ended is told of it alone', async (token, why) => {
  const { clock, events, watch } = setUp(({ onEnded }, looks) => {
    if (looks === 1) return [record('1')];
    onEnded?.({ name: 'a', token, why: 'released' });
    return [];
  });
  await clock.advance(1500);
  const free = { kind: 'free', name: 'a', token: 2n, ...(why !== undefined && { why }) };
  expect(events.at(-1)).toStrictEqual(free);
  await watch.close();
});
