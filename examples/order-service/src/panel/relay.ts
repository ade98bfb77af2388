import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The running relay. */
export interface Relay {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts the relay's thread; `probes` is the base URL of the probe port. */
export async function startRelay(data: {
  host: string;
  port: number;
  probes: string;
}): Promise<Relay> {
  const worker = new Worker(new URL('relay-worker.js', import.meta.url), { workerData: data });
  const [port] = (await once(worker, 'message')) as [number];
  worker.on('error', () => {});
  worker.unref();
  return {
    port,
    stop: async () => {
      await worker.terminate();
    },
  };
}
