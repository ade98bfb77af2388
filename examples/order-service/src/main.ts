/** For containers: the service alone, `DATABASE_URL` required. */
import { memoryStore } from './lease.js';
import { run } from './run.js';

await run({
  env: process.env,
  host: '0.0.0.0',
  startDatabase: () => {
    throw new RangeError('DATABASE_URL must be set, such as postgres://user@host:5432/orders');
  },
  leaseStore: memoryStore,
});
