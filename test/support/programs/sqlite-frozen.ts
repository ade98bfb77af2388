import { createRequire } from 'node:module';
import { createHealth } from '../../../src/create-health.js';
import { sqliteGuard } from '../../../src/lease/guards/sqlite.js';
import type { LeaseGrant } from '../../../src/lease/grant.js';
import { createLease } from '../../../src/lease/keeper.js';
import { type SqliteLeaseHandle, sqliteLease } from '../../../src/lease/stores/sqlite.js';

/*
 * Writes through a guard for as long as it holds its lease, and stops itself in the middle of a transaction: of its
 * second renewal, or of a write. The binding is found from the folder it is told: native modules do not survive bundling.
 */
export interface FrozenSettings {
  readonly from: string;
  /** The file of the lease, and that of the data, which may be the same. */
  readonly leases: string;
  readonly data: string;
  readonly ttlMs: number;
  readonly marginMs: number;
  readonly retryMs: number;
  readonly freezeIn?: 'renewal' | 'write';
  /** Never stops, and never asks whether the lease is still held. */
  readonly blind?: boolean;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as FrozenSettings;
const { ttlMs, marginMs, retryMs, freezeIn, blind = false } = settings;
const Database = createRequire(settings.from)('libsql') as new (file: string) => SqliteLeaseHandle;
const told = new Set<string>();
const tell = (event: string, more: object = {}): void => void process.send?.({ event, ...more });
const tellOnce = (event: string, more: object = {}): void => {
  if (!told.has(event)) tell(event, more);
  told.add(event);
};

let renewals = 0;
let writes = 0;
let longestMs = 0;

function freeze(): void {
  process.kill(process.pid, 'SIGSTOP');
}

function freezing(database: SqliteLeaseHandle): SqliteLeaseHandle {
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      const all = (value: string): unknown => {
        if (!sql.startsWith('UPDATE') || freezeIn !== 'renewal' || (renewals += 1) !== 2)
          return statement.all(value);
        database.exec('BEGIN IMMEDIATE');
        const rows = statement.all(value);
        freeze();
        database.exec('COMMIT');
        return rows;
      };
      return { all };
    },
  };
}

const data = new Database(settings.data);
data.exec('PRAGMA busy_timeout = 100');
const guard = sqliteGuard(data);
const insert = (token: bigint): unknown =>
  data.prepare('INSERT INTO written (token) VALUES (?1) RETURNING id').all(String(token));

function write(grant: LeaseGrant): void {
  if (!blind) grant.assertHeld();
  guard.write('log', grant, () => {
    insert(grant.token);
    if (freezeIn === 'write' && (writes += 1) === 20) freeze();
  });
  tellOnce('wrote');
}

async function work(grant: LeaseGrant): Promise<void> {
  tell('held', { token: String(grant.token) });
  for (;;) {
    try {
      write(grant);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      tellOnce(String(code), { message });
      if (!blind && code !== 'SQLITE_BUSY') return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

let lastAt = performance.now();
setInterval(() => {
  const now = performance.now();
  longestMs = Math.max(longestMs, now - lastAt);
  lastAt = now;
}, 10);
process.on('message', () => tell('longest', { longestMs }));

const health = createHealth({
  isolation: 'inline',
  probes: { port: 0, host: '127.0.0.1' },
  diagnostic: false,
  leases: { killSwitch: !blind },
});
const store = sqliteLease(freezing(new Database(settings.leases)), { busyTimeoutMs: 100 });
const onHeld = (grant: LeaseGrant): void => void work(grant);
const policy = blind ? ({ onLost: 'pause', fence: () => {} } as const) : {};
const timing = { ttlMs, marginMs, retryMs, stopMs: 100 };
health.lease(createLease({ store, name: 'orders', onHeld, ...timing, ...policy }));
await health.start();
longestMs = 0;
tell('started');
