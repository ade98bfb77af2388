import { setTimeout as wait } from 'node:timers/promises';
import { codeOf } from './database/pool.js';
import type { Log } from './log.js';
import type { OrderStore } from './orders/order-store.js';

const RETRY_MS = 1_000;

/**
 * Creates the schema, trying until the database is there or `signal` aborts; logs the first failure and
 * the success only.
 * @returns Whether the schema exists.
 */
export async function createSchemaEventually(
  store: OrderStore,
  log: Log,
  signal: AbortSignal,
): Promise<boolean> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      await store.createSchema();
      log.info({ attempt }, 'schema is there');
      return true;
    } catch (error) {
      if (attempt === 1) log.warn({ code: codeOf(error) }, 'schema not created yet, trying on');
    }
    await wait(RETRY_MS, undefined, { signal }).catch(() => {});
  }
  return false;
}
