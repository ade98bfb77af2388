import { Queue, Worker } from 'bullmq';
import { createHealth } from '../../../src/create-health.js';
import { queueWorkerPreset } from '../../../src/presets/index.js';
import { bullmqWorker } from '../../../src/workers/bullmq.js';

interface Settings {
  readonly port: number;
  readonly jobMs: number;
  readonly concurrency: number;
  readonly deadlineMs: number;
}

const { port, jobMs, concurrency, deadlineMs } = JSON.parse(process.argv[2] ?? '{}') as Settings;
const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
const tell = (event: object): void => void process.send?.(event);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const queue = new Queue<{ n: number }>('orders', { connection });
queue.on('error', () => {});
const health = createHealth({
  ...queueWorkerPreset,
  shutdown: { ...queueWorkerPreset.shutdown, deadlineMs },
});

const adapter = bullmqWorker(
  async (job: {
    id?: string;
    name: string;
    data: { n: number };
    moveToWait(token?: string): Promise<number>;
  }) => {
    const { n } = job.data;
    tell({ event: 'job', n, at: Date.now() });
    await pause(jobMs);
    tell({ event: 'done', n, at: Date.now() });
  },
  (processor) => {
    const worker = new Worker<{ n: number }>('orders', processor, {
      connection,
      concurrency,
      lockDuration: 2000,
      stalledInterval: 1000,
      maxStalledCount: 5,
    });
    worker.on('error', () => {});
    worker.on('completed', (job) => tell({ event: 'completed', n: job.data.n }));
    return worker;
  },
);
health.worker('orders', adapter, {
  backlog: () => queue.getWaitingCount(),
  stallAfterMs: 20_000,
  resumeJitterMs: 100,
});
health.onShutdown('queue', () => queue.close());
await health.start();
// Registered after hale's own: the time at which the drain has begun.
process.on('SIGTERM', () => tell({ event: 'sigterm', at: Date.now() }));
tell({ event: 'ready' });
