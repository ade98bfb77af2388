import { createHealth } from 'hale';
import { runSubject } from './host.mjs';

await runSubject(async ({ port, checks }) => {
  const health = createHealth({
    probes: { port },
    diagnostic: false,
    // `inline` is the planted violation: served from the main loop, hale must miss its goals.
    isolation: process.env.BENCH_ISOLATION ?? 'thread',
    signals: false,
    checks: idleChecks(checks),
  });
  const addresses = await health.start();
  health.started();
  const { port: bound } = addresses.find(({ kind }) => kind === 'probes');
  return { probeUrl: `http://127.0.0.1:${bound}/livez`, dispose: () => health.dispose() };
});

/** Checks that cost nothing themselves, so that what is measured is their scheduling. */
function idleChecks(count) {
  const entries = Array.from({ length: count }, (_, index) => [
    `check${index}`,
    { impact: 'critical', run: async () => {} },
  ]);
  return Object.fromEntries(entries);
}
