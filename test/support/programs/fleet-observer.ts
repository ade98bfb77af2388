import { systemClock } from '../../../src/engine/system-clock.js';
import { createFleet } from '../../../src/fleet.js';
import { instanceData } from '../../../src/lease/fleet/instance-data.js';
import { memoryLease } from '../../../src/lease/stores/memory.js';

/** Ten thousand instances that renew every ten seconds, and one observer of them, in one process. */
const COUNT = 10_000;
const TTL = 30_000;
const ROUNDS = 100;
const STEP = 100;

const store = memoryLease();
const call = { clock: systemClock, signal: new AbortController().signal };
const data = instanceData({ version: '1.4.2', phase: 'running', status: 'pass', reason: 'ok' });
const leases = Array.from({ length: COUNT }, (_, index) => ({
  ...{ name: `orders/${index}`, holder: `host-${index}:1#abc`, ttlMs: TTL, data },
}));
for (const lease of leases) await store.acquire(lease, call);

const events: Record<string, number> = {};
const before = memory();
const fleet = createFleet({ store });
fleet.watch(({ kind }) => void (events[kind] = (events[kind] ?? 0) + 1));
await fleet.synced();

let round = 0;
const begun = systemClock.now();
/** A tenth of a second's renewals: a hundred, so that each comes once in ten seconds. */
function renew(): void {
  for (let index = round % ROUNDS; index < COUNT; index += ROUNDS)
    void store.renew({ ...(leases[index] as (typeof leases)[number]), token: 1n }, call);
  round += 1;
}
// On a machine that is late, what was missed is made up for.
setInterval(() => {
  while (round < (systemClock.now() - begun) / STEP) renew();
}, STEP);

/** What has been used since, and what is used now. */
let cpu = process.cpuUsage();
let since = systemClock.now();
process.on('message', ({ command }: { command: string }) => {
  if (command === 'begin') {
    cpu = process.cpuUsage();
    since = systemClock.now();
    return;
  }
  const used = process.cpuUsage(cpu);
  process.send?.({
    event: 'measured',
    before,
    ...memory(),
    cpuShare: (used.user + used.system) / 1000 / (systemClock.now() - since),
    renewals: round * (COUNT / ROUNDS),
    view: fleet.view(),
    events,
  });
});
process.send?.({ event: 'ready' });

function memory(): { heapMb: number; rssMb: number } {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapMb: (heapUsed + external) / 2 ** 20, rssMb: rss / 2 ** 20 };
}
