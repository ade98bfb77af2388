import { execSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createHealth } from '../../../src/create-health.js';
import { createLease } from '../../../src/lease/keeper.js';
import { memoryLease } from '../../../src/lease/stores/memory.js';
import { type SqliteLeaseHandle, sqliteLease } from '../../../src/lease/stores/sqlite.js';

/*
 * Holds a lease, and blocks its main loop in one of many ways as soon as it does. Native modules do not survive bundling,
 * so the binding is found from the folder it is told; without a file the lease is kept in memory.
 */
interface Settings {
  readonly from: string;
  readonly file?: string;
  readonly name: string;
  readonly ttlMs: number;
  readonly block: keyof typeof BLOCKS;
  readonly isolation?: 'thread' | 'inline';
  /** Gives the lease up before it blocks. */
  readonly release?: boolean;
  readonly killSwitch?: boolean;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as Settings;
const { name, ttlMs, isolation = 'thread', killSwitch } = settings;
const STDERR = 2;

/** Each ends by itself, so that a test that fails leaves nothing behind. */
const LONGEST_MS = 12_000;

const BLOCKS = {
  loop: () => spin(LONGEST_MS),
  shortly: () => spin(1.2 * ttlMs),
  'regular expression': () => /^(a+)+$/.test(`${'a'.repeat(40)}b`),
  'child process': () => execSync('sleep 12'),
  'Atomics.wait': () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LONGEST_MS),
  'standard error': () => fill(),
  nothing: () => setTimeout(() => {}, LONGEST_MS),
} as const;

function spin(forMs: number): void {
  const end = performance.now() + forMs;
  while (performance.now() < end);
}

/** Nobody reads: blocks once the pipe is full, or is told so again and again. */
function fill(): void {
  const end = performance.now() + LONGEST_MS;
  while (performance.now() < end)
    try {
      writeSync(STDERR, 'x'.repeat(65_536));
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EAGAIN') throw error;
    }
}

function tell(event: string, more: object = {}): void {
  writeSync(STDERR, `${JSON.stringify({ event, ...more })}\n`);
}

function openStore() {
  if (settings.file === undefined) return memoryLease();
  const Database = createRequire(settings.from)('libsql') as new (f: string) => SqliteLeaseHandle;
  return sqliteLease(new Database(settings.file), { busyTimeoutMs: 2000 });
}

const health = createHealth({
  isolation,
  signals: false,
  probes: { port: 0, host: '127.0.0.1' },
  diagnostic: false,
  // The probe thread reports the stall, and writes.
  liveness: { stallAfterMs: 1000 },
  ...(killSwitch === undefined ? {} : { leases: { killSwitch } }),
});
const lease = createLease({ store: openStore(), name, ttlMs, marginMs: 500, stopMs: 100 });
try {
  health.lease(lease);
  await health.start();
  const { token } = await lease.untilHeld();
  tell('held', { token: String(token), pid: process.pid });
  if (settings.release === true) await health.shutdown();
  BLOCKS[settings.block]();
  tell('went on');
  if (settings.block !== 'nothing') await health.dispose();
} catch (error) {
  tell('failed', { code: (error as { code?: unknown }).code, text: String(error) });
  await health.dispose();
}
