import { serve } from '@hono/node-server';
import { createHealth } from 'hale';
import { attachHealth } from 'hale/hono';
import { Hono } from 'hono';

const health = createHealth({ version: '1.0.0' });
const app = new Hono();

app.use(async (context, next) => {
  if (context.req.header('x-key') === 'tea') return next();
  return context.text('who are you?', 401);
});
app.get('/orders', (context) => context.json([{ item: 'tea' }]));
app.get('/report', async (context) => {
  // Slow, so that a stop signal meets it in flight.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return context.json({ sold: 1 });
});

// Before app.fetch is handed to a server; among the middlewares it may stand anywhere.
attachHealth(app, health);

const [probes] = await health.start();
const options = { fetch: app.fetch, port: Number(process.env.PORT ?? 3000) };
// The server of Node.js counts requests and drains.
const server = serve(options, ({ port }) => {
  console.log(`app http://127.0.0.1:${port} probes http://127.0.0.1:${probes.port}`);
});
health.drains(server);
