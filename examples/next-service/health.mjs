import { createHealth } from 'hale';

const KEY = Symbol.for('next-service.health');

/**
 * The health of this process. Next.js bundles the instrumentation apart from everything else, so a variable of this
 * file would be one of two: whoever asks first starts it, and everyone gets the same.
 */
export function startHealth(attach = () => {}) {
  return (globalThis[KEY] ??= start(attach));
}

async function start(attach) {
  const health = createHealth({
    checks: { catalogue: { impact: 'degraded', run: () => {} } },
  });
  attach(health);
  await health.start();
  return health;
}
