// A check whose error text is full of secrets, logged and served by hale alone.
import { createHealth } from 'hale';

const text = String(process.argv[2]);
const health = createHealth({
  probes: { port: 0, details: true },
  diagnostic: { port: 0 },
  checks: {
    database: async () => {
      throw new Error(text, { cause: new Error(text) });
    },
    cache: {
      impact: 'degraded',
      run: () => ({ status: 'warn', output: text, observedValue: { dsn: text } }),
    },
  },
});
const addresses = await health.start();
health.startupTask('schema').fail(new Error(text));
health.started();
health.onShutdown('pool', () => {
  throw new Error(text);
});
process.on('message', () => {
  health.fatal(text);
  process.send?.({ kind: 'fatal' });
});
process.send?.({ kind: 'listening', addresses });
