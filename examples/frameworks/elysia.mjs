import { serve } from '@hono/node-server';
import { Elysia } from 'elysia';
import { createHealth } from 'hale';
import { withHealth } from 'hale/fetch';

const health = createHealth({ version: '1.0.0' });
const app = new Elysia();

app.onRequest(({ request, status }) => {
  if (request.headers.get('x-key') !== 'tea') return status(401, 'who are you?');
});
app.get('/orders', () => [{ item: 'tea' }]);
app.get('/report', async () => {
  // Slow, so that a stop signal meets it in flight.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return { sold: 1 };
});

// Any function from Request to Response; what is served is what it returns.
const fetch = withHealth(app.fetch, health);

const [probes] = await health.start();
const options = { fetch, port: Number(process.env.PORT ?? 3000) };
// The server of Node.js counts requests and drains. On Bun and Deno: docs/frameworks.md.
const server = serve(options, ({ port }) => {
  console.log(`app http://127.0.0.1:${port} probes http://127.0.0.1:${probes.port}`);
});
health.drains(server);
