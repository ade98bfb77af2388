import cluster from 'node:cluster';
import { systemClock } from '../../../src/engine/system-clock.js';
import { createInlineHost } from '../../../src/probe/inline-host.js';
import { createThreadHost } from '../../../src/probe/thread-host.js';
import { probeOptions } from '../probing.js';

// Two cluster workers want the same probe port; the primary passes on what the second one is told.
const events = {
  async evaluate() {},
  onStall() {},
  onStallEnd() {},
  onLivenessFailed() {},
  onError() {},
};

function primary(): void {
  const first = cluster.fork({ PROBE_PORT: '0' });
  first.once('message', ({ port }: { port: number }) => {
    const second = cluster.fork({ PROBE_PORT: String(port) });
    second.once('message', (message: object) => {
      process.send?.({ event: 'second', ...message });
      first.kill();
      second.kill();
      process.disconnect();
    });
  });
}

async function worker(): Promise<void> {
  const base = probeOptions();
  const listener = base.listener && { ...base.listener, port: Number(process.env['PROBE_PORT']) };
  const create = process.argv[2] === 'inline' ? createInlineHost : createThreadHost;
  const host = create({ options: { ...base, listener }, clock: systemClock, events });
  try {
    const [address] = await host.start();
    process.send?.({ port: address?.port });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    process.send?.({ code, message });
  }
}

if (cluster.isPrimary) primary();
else await worker();
