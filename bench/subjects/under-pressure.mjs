import underPressure from '@fastify/under-pressure';
import createFastify from 'fastify';
import { runSubject } from './host.mjs';

// Thresholds off (their default): a probe answered 503 under load would be quick and wrong, and not comparable.
await runSubject(async ({ port }) => {
  const app = createFastify();
  await app.register(underPressure, { exposeStatusRoute: '/status' });
  await app.listen({ port, host: '127.0.0.1' });
  return { probeUrl: `http://127.0.0.1:${app.server.address().port}/status` };
});
