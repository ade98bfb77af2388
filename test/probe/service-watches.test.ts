import { describe, expect, it } from 'vitest';
import { type ServiceWatches, createServiceWatches } from '../../src/probe/service-watches.js';
import { SERVING_STATUS, type ServingStatus } from '../../src/protocol/grpc-health.js';
import { type ManualClock, createManualClock } from '../../src/testing/manual-clock.js';

const { serving, notServing, serviceUnknown } = SERVING_STATUS;

interface Kit {
  readonly clock: ManualClock;
  status: ServingStatus | undefined;
  readonly told: (ServingStatus | 'end')[];
  asked: number;
  /** Whether the client reads. */
  reads: boolean;
  readonly pending: (() => void)[];
  readonly watches: ServiceWatches;
  add(): () => void;
  change(status: ServingStatus | undefined): Promise<void>;
}

function createKit(): Kit {
  const clock = createManualClock();
  const kit: Kit = {
    clock,
    status: serving,
    told: [],
    asked: 0,
    reads: true,
    pending: [],
    watches: createServiceWatches({
      clock,
      async statusOf() {
        kit.asked += 1;
        return kit.status;
      },
    }),
    add: () =>
      kit.watches.add('orders', {
        send(status, sent) {
          kit.told.push(status);
          if (kit.reads) queueMicrotask(sent);
          else kit.pending.push(sent);
        },
        end: () => kit.told.push('end'),
      }),
    async change(status: ServingStatus | undefined) {
      kit.status = status;
      kit.watches.look();
      await clock.settle();
    },
  };
  return kit;
}

describe('E6: Watch streams of a server of the application', () => {
  it('send the present status at once and each change once', async () => {
    const kit = createKit();
    kit.add();
    await kit.clock.settle();
    expect(kit.told).toEqual([serving]);
    await kit.change(serving);
    await kit.change(notServing);
    await kit.change(undefined);
    expect(kit.told).toEqual([serving, notServing, serviceUnknown]);
  });

  it('notice what nobody tells within a second, and have a timer only while somebody watches', async () => {
    const kit = createKit();
    expect(kit.clock.pendingTimers).toBe(0);
    const remove = kit.add();
    await kit.clock.settle();
    kit.status = notServing;
    await kit.clock.advance(1000);
    expect(kit.told).toEqual([serving, notServing]);
    expect(kit.clock.pendingTimers).toBe(1);
    remove();
    expect(kit.clock.pendingTimers).toBe(0);
    await kit.change(serving);
    expect(kit.told).toHaveLength(2);
  });

  it('send a client that reads slowly what is, not what was', async () => {
    const kit = createKit();
    kit.reads = false;
    kit.add();
    await kit.clock.settle();
    await kit.change(notServing);
    await kit.change(serving);
    await kit.change(notServing);
    expect(kit.told).toEqual([serving]);
    kit.reads = true;
    kit.pending.shift()?.();
    await kit.clock.settle();
    expect(kit.told).toEqual([serving, notServing]);
  });

  it('ask one question at a time, and again when something changed meanwhile', async () => {
    const kit = createKit();
    kit.add();
    kit.status = notServing;
    for (let count = 0; count < 50; count += 1) kit.watches.look();
    await kit.clock.settle();
    expect(kit.told).toEqual([notServing]);
    expect(kit.asked).toBeLessThan(5);
  });

  it('end with the last status, and so does every later one', async () => {
    const kit = createKit();
    kit.add();
    await kit.clock.settle();
    kit.status = notServing;
    await kit.watches.end();
    expect(kit.told).toEqual([serving, notServing, 'end']);
    kit.add();
    await kit.clock.settle();
    expect(kit.told.slice(3)).toEqual([notServing, 'end']);
    expect(kit.clock.pendingTimers).toBe(0);
  });
});
