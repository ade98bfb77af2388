import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHealth } from '../../../src/index.js';

const health = createHealth({
  probes: { host: '127.0.0.1', port: 0 },
  diagnostic: false,
  shutdown: { propagationDelayMs: 600, deadlineMs: 3000, crashDeadlineMs: 1000 },
});

// Request paths: /<milliseconds before the answer>, and faults as messages of the parent.
const server = createServer((request, response) => {
  const ms = Number(request.url?.slice(1, 7).split('?')[0] ?? 0);
  setTimeout(() => response.end('ok'), ms);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
health.drains(server);
health.onShutdown('database', () => new Promise((resolve) => setTimeout(resolve, 50)));
const [probes] = await health.start();

process.on('message', ({ fault }: { fault: string }) => {
  if (fault === 'throw')
    setTimeout(() => {
      throw new Error('thrown in a timer');
    }, 0);
  if (fault === 'reject') void Promise.reject(new Error('rejected for nobody'));
  if (fault === 'hang') health.onShutdown('hung hook', () => new Promise(() => {}));
  // A promise that nobody settles keeps no process alive; neither may the channel to the parent.
  if (fault === 'disconnect') process.disconnect();
});
const { port } = server.address() as AddressInfo;
process.send?.({ event: 'ready', port, probes: probes?.port });
