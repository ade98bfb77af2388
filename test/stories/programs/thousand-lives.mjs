// Creates, starts and disposes hale again and again, then ends by itself: nothing may hold it open.
import { createHealth } from 'hale';

const CYCLES = Number(process.argv[2]);
const WARM_UP = Math.floor(CYCLES / 4);
const samples = [];

for (let cycle = 0; cycle < CYCLES; cycle += 1) {
  const health = createHealth({
    probes: { port: 0 },
    diagnostic: false,
    checks: { fine: async () => {}, hangs: () => new Promise(() => {}) },
    liveness: { guards: { sound: () => true } },
    logger: { info() {}, warn() {}, error() {} },
  });
  await health.start();
  health.progress('loop', { stallAfterMs: 60_000 }).beat();
  await health.dispose();
  if (cycle >= WARM_UP && cycle % 50 === 0) {
    globalThis.gc?.();
    samples.push(process.memoryUsage().heapUsed);
  }
}
const listeners = ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection'].map((event) =>
  process.listenerCount(event),
);
process.stdout.write(JSON.stringify({ cycles: CYCLES, samples, listeners }));
