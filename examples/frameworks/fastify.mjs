import Fastify from 'fastify';
import { createHealth } from 'hale';
import { attachHealth } from 'hale/fastify';

const health = createHealth({ version: '1.0.0' });
const app = Fastify();

app.addHook('onRequest', async (request, reply) => {
  if (request.headers['x-key'] !== 'tea') await reply.code(401).send('who are you?');
});
app.get('/orders', async () => [{ item: 'tea' }]);
app.get('/report', async () => {
  // Slow, so that a stop signal meets it in flight.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return { sold: 1 };
});

// Before app.listen(); among the hooks it may stand anywhere. It also calls app.close() at the end.
attachHealth(app, health);

const [probes] = await health.start();
// A host, because for its default, localhost, Fastify opens two servers.
await app.listen({ port: Number(process.env.PORT ?? 3000), host: '0.0.0.0' });
console.log(
  `app http://127.0.0.1:${app.server.address().port} probes http://127.0.0.1:${probes.port}`,
);
