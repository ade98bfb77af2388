import { createRequire } from 'node:module';
import { systemClock } from '../../../src/engine/system-clock.js';
import { sqliteLease, type SqliteLeaseHandle } from '../../../src/lease/stores/sqlite.js';

/*
 * One of several processes that share a file: takes a lease, tells the token, gives it back, as often as it is told.
 * Native modules do not survive bundling, so the binding is found from the folder it is told.
 */
const [from = '', file = '', rounds = '0'] = process.argv.slice(2);
const Database = createRequire(from)('libsql') as new (file: string) => SqliteLeaseHandle;
const store = sqliteLease(new Database(file), { busyTimeoutMs: 2000 });
const call = { clock: systemClock, signal: new AbortController().signal };
const request = { name: 'shared', holder: `process ${process.pid}`, ttlMs: 10_000, data: '' };

const tokens: string[] = [];
while (tokens.length < Number(rounds)) {
  const answer = await store.acquire(request, call);
  if (answer.kind === 'denied') {
    await new Promise((resolve) => setTimeout(resolve, 1));
    continue;
  }
  // Long enough for the others to notice, if they were granted it too.
  const { token } = answer;
  const renewed = await store.renew({ ...request, token }, call);
  const released = await store.release({ ...request, token }, call);
  tokens.push(`${token} ${renewed.kind} ${released.kind}`);
}
process.send?.({ event: 'tokens', tokens });
process.disconnect();
