import { createHealth } from '../../../src/index.js';
import type { Check, CheckResult } from '../../../src/core/check.js';
import { createLease } from '../../../src/lease/keeper.js';
import { memoryLease } from '../../../src/lease/stores/memory.js';

/*
 * A service whose page is looked at: its checks say what they are told to, it starts when it is told to, and it blocks
 * and drains on command.
 */
interface Setting {
  /** Names of its checks. @defaultValue database, cache and payments */
  readonly checks?: readonly string[];
  readonly token?: string;
  /** Whether it waits to be told that it has started. @defaultValue false */
  readonly waits?: boolean;
}

type Command =
  | { readonly do: 'tell'; readonly check: string; readonly result: CheckResult }
  | { readonly do: 'start' }
  | { readonly do: 'block'; readonly ms: number }
  | { readonly do: 'drain' }
  | { readonly do: 'release' };

const setting = JSON.parse(process.argv[2] ?? '{}') as Setting;
const { token, waits = false } = setting;
const results = new Map<string, CheckResult>([
  [
    'database',
    {
      observedValue: { used: 3, total: 8, idle: 5, waiting: 0, max: 10 },
      observedUnit: 'connections',
    },
  ],
  ['payments', { observedValue: 'closed' }],
]);

const names = setting.checks ?? ['database', 'cache', 'payments'];
const IMPACTS = { cache: 'degraded', payments: 'optional' } as const;

function told(name: string): Check {
  return {
    // The page is looked at, not the load of many checks.
    intervalMs: names.length > 50 ? 2_000 : 150,
    impact: (IMPACTS as Record<string, Check['impact']>)[name] ?? 'critical',
    async run() {
      await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 4));
      return results.get(name) ?? {};
    },
  };
}

const health = createHealth({
  version: '1.4.2',
  releaseId: 'a1b2c3d',
  probes: { port: 0, host: '127.0.0.1' },
  diagnostic: { port: 0, ...(token === undefined ? {} : { token }) },
  liveness: { stallAfterMs: 1000 },
  shutdown: { propagationDelayMs: 300, deadlineMs: 20_000 },
  signals: false,
  checks: Object.fromEntries(names.map((name) => [name, told(name)])),
});
const prices = waits ? health.startupTask('price list') : undefined;
health.lease(createLease({ name: 'nightly-billing', store: memoryLease() }));

function renderReport(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

let release = (): void => {};
health.onShutdown('flush of invoices', () => new Promise<void>((resolve) => (release = resolve)));

process.on('message', (command: Command) => {
  switch (command.do) {
    case 'tell':
      results.set(command.check, command.result);
      break;
    case 'start':
      prices?.done();
      break;
    case 'block':
      renderReport(command.ms);
      process.send?.({ event: 'turned' });
      break;
    case 'drain':
      void health.shutdown('SIGTERM').then(() => process.exit());
      break;
    case 'release':
      release();
      break;
  }
});

const addresses = await health.start();
process.send?.({ event: 'listening', addresses });
