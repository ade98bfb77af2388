import { createHealth } from '../../../src/index.js';

/*
 * A service whose diagnosis is looked at: it blocks, loses its database and drains on command.
 */

interface Setting {
  readonly isolation?: 'thread' | 'inline';
  readonly token?: string;
  readonly checks?: number;
}

const setting = JSON.parse(process.argv[2] ?? '{}') as Setting;
const { isolation = 'thread', token, checks: count = 1 } = setting;
let failing = false;

const database = {
  intervalMs: 200,
  failureThreshold: 2,
  run() {
    if (failing)
      throw new Error('connect postgres://app:hunter2@db:5432/orders: password=hunter2 refused');
    return { observedValue: { used: 3, max: 10 }, observedUnit: 'connections' };
  },
};

const health = createHealth({
  probes: { port: 0 },
  diagnostic: { port: 0, ...(token === undefined ? {} : { token }) },
  isolation,
  liveness: { stallAfterMs: 1000 },
  shutdown: { propagationDelayMs: 300 },
  signals: false,
  checks: Object.fromEntries(
    Array.from({ length: count }, (_, index) => [index === 0 ? 'database' : `c${index}`, database]),
  ),
});

function blockTheLoop(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

let release = (): void => {};
health.onShutdown('flush', () => new Promise<void>((resolve) => (release = resolve)));

process.on('message', (command: { do: string; ms?: number }) => {
  switch (command.do) {
    case 'block':
      blockTheLoop(command.ms ?? 0);
      process.send?.({ event: 'turned' });
      break;
    case 'fail':
      failing = true;
      break;
    case 'drain':
      health.working('export for password=hunter2');
      void health.shutdown('deploy of postgres://app:hunter2@db');
      break;
    case 'release':
      release();
      break;
    case 'dispose':
      // Nothing else holds the process then: it ends by itself, or hale keeps it.
      process.disconnect();
      void health.dispose();
      break;
  }
});

const addresses = await health.start();
process.send?.({ event: 'listening', addresses });
