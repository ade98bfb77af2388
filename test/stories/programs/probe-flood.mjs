// Counts what probes cause on the main thread: runs of a check, and garbage collections. Needs --expose-gc.
import { PerformanceObserver } from 'node:perf_hooks';
import { createHealth } from 'hale';

let runs = 0;
let collections = 0;
new PerformanceObserver((list) => {
  collections += list.getEntries().length;
}).observe({ entryTypes: ['gc'] });

const health = createHealth({
  probes: { port: 0 },
  diagnostic: false,
  checks: {
    database: {
      intervalMs: 600_000,
      run: async () => {
        runs += 1;
      },
    },
  },
});
const [address] = await health.start();
process.on('message', (message) => {
  if (message === 'settle') settle();
  else if (message === 'count') process.send?.({ kind: 'count', runs, collections });
  else void health.dispose().then(() => process.disconnect?.());
});

// The garbage of the start, which would be collected at some time, whoever asks.
function settle() {
  globalThis.gc?.();
  setTimeout(() => process.send?.({ kind: 'settled' }), 200);
}

process.send?.({ kind: 'listening', port: address?.port });
