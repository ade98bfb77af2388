/** `npm start`: the service with everything around it, embedded database and demo faults included. */
import { startEmbeddedDatabase } from './database/embedded.js';
import { createLog } from './log.js';
import { fileStore } from './lease.js';
import { run } from './run.js';

await run({
  env: { HALE_DEMO_FAULTS: '1', ...process.env },
  host: '127.0.0.1',
  startDatabase: () => startEmbeddedDatabase(createLog()),
  leaseStore: (log) => fileStore(log),
});
