import { writeSync } from 'node:fs';
import type { EmbeddedDatabase } from './database/embedded.js';
import { startInfrastructure } from './infrastructure.js';
import { type LeaseStore, createAgreement } from './lease.js';
import { type Log, createLog } from './log.js';
import { readyLine, readyTable } from './ready.js';
import { startService } from './service.js';
import { type Settings, readSettings } from './settings.js';

const STDOUT = 1;

/** What the two entry points decide differently. */
export interface RunOptions {
  env: NodeJS.ProcessEnv;
  /** Where to listen unless `HOST` says otherwise. */
  host: string;
  /** Called when `DATABASE_URL` is not set. */
  startDatabase(settings: Settings): Promise<EmbeddedDatabase>;
  /** Called when `LEASE_URL` is not set. */
  leaseStore(log: Log): Promise<LeaseStore>;
}

async function start({ env, host, startDatabase, leaseStore }: RunOptions): Promise<void> {
  const settings = readSettings(env, { host });
  const log = createLog();
  const agreement = await createAgreement(settings, () => leaseStore(log));
  const embedded = settings.databaseUrl === undefined ? await startDatabase(settings) : undefined;
  const direct = embedded?.url ?? settings.databaseUrl ?? '';
  const infrastructure = await startInfrastructure(settings, direct, embedded);
  const addresses = await startService(settings, infrastructure, agreement, log);
  const announce = process.stdout.isTTY ? readyTable : readyLine;
  // Written at once: through a pipe, process.stdout would wait for the main loop.
  writeSync(STDOUT, `${announce(addresses)}\n`);
}

/** Runs the service; what keeps it from starting is one line on standard error and exit code 1. */
export async function run(options: RunOptions): Promise<void> {
  try {
    await start(options);
  } catch (error) {
    process.stderr.write(`order service: ${error instanceof Error ? error.message : 'failed'}\n`);
    process.exit(1);
  }
}
