import { once } from 'node:events';
import { createServer } from 'node:http';
import { createTerminus } from '@godaddy/terminus';
import { runSubject } from './host.mjs';

await runSubject(async ({ port }) => {
  const server = createServer((request, response) => response.end('hello'));
  createTerminus(server, { healthChecks: { '/healthcheck': async () => {} }, useExit0: true });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { probeUrl: `http://127.0.0.1:${server.address().port}/healthcheck` };
});
