import { createServer } from 'node:http';
import { attachHealth } from 'hale/node-http';
import next from 'next';
import { startHealth } from './health.mjs';

const hostname = process.env.HOSTNAME ?? '0.0.0.0';
const port = Number(process.env.PORT ?? 3000);

const health = await startHealth();
const booted = health.startupTask('next');
const app = next({ dir: import.meta.dirname, hostname, port });
await app.prepare();
booted.done();

const handle = app.getRequestHandler();
const server = createServer((request, response) => void handle(request, response));
attachHealth(server, health);
health.onShutdown('next', () => app.close());
server.listen(port, hostname);
