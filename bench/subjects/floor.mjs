import { createServer } from 'node:http';
import { once } from 'node:events';
import { runSubject } from './host.mjs';

/**
 * The least a Node.js process can do: bare `node:http` with one prepared answer. `BENCH_REPLY` holds the answer
 * recorded from hale's `/livez`, so that both send the same bytes.
 */
const reply = JSON.parse(
  process.env.BENCH_REPLY ??
    '{"status":200,"sendDate":true,"headers":{"content-type":"application/json"},"body":"{\\"status\\":\\"pass\\"}"}',
);

await runSubject(async ({ port }) => {
  const body = Buffer.from(reply.body);
  const headers = { ...reply.headers, 'content-length': body.length };
  const server = createServer((request, response) => {
    response.sendDate = reply.sendDate;
    response.writeHead(reply.status, headers);
    response.end(body);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { probeUrl: `http://127.0.0.1:${server.address().port}/livez` };
});
