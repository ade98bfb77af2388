import { expect } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/program.js';
import type { FrameworkUnderTest } from './framework-app.js';
import { expectProbe } from './framework-cases.js';
import { type Kit, PROPAGATION_MS, openKit } from './framework-kit.js';

/** One thing about the end of an app; it starts one of its own. */
export interface FrameworkEndCase {
  readonly name: string;
  run(framework: FrameworkUnderTest, base: string): Promise<void>;
}

export const END_CASES: readonly FrameworkEndCase[] = [
  {
    name: 'D1, D3: a drain fails readiness, serves on with Connection: close, finishes what is slow, then refuses',
    run: (framework, base) => withKit(framework, base, drainsInOrder),
  },
  {
    name: 'D1: a drain ends cleanly after the app was closed by its owner',
    run: (framework, base) => withKit(framework, base, drainsAfterClose),
  },
  {
    name: 'nothing is answered without hale, nor after it was taken out, and no listener is left',
    run: leavesNothing,
  },
];

async function withKit(
  framework: FrameworkUnderTest,
  base: string,
  use: (kit: Kit) => Promise<void>,
): Promise<void> {
  const kit = await openKit(framework, base);
  try {
    await use(kit);
  } finally {
    await kit.close();
  }
}

async function drainsInOrder({ ask, askRoot, health, slowBegun, release }: Kit): Promise<void> {
  const slow = askRoot('/slow');
  // A failure further down must not leave a rejection behind.
  slow.catch(() => {});
  await slowBegun();
  const drained = health.shutdown('test');
  const readiness = await ask('/readyz');
  expectProbe(readiness, 503, { status: 'fail', reason: 'draining' });
  expect((await ask('/livez')).status).toBe(200);
  expect((await ask('/startupz')).status).toBe(200);
  const late = await askRoot('/orders', { headers: { connection: 'keep-alive' } });
  expect([late.status, late.text, late.headers.connection]).toEqual([200, 'orders', 'close']);
  const probe = await ask('/livez', { headers: { connection: 'keep-alive' } });
  expect(probe.headers.connection).toBe('close');
  await delay(PROPAGATION_MS);
  await eventually('refusal', () => askRoot('/orders').then(nothing, isRefused), 2000);
  expect(health.report().inFlight).toBe(1);
  release();
  const done = await slow;
  expect([done.status, done.text, done.headers.connection]).toEqual([
    200,
    'slow but done',
    'close',
  ]);
  expect(await drained).toMatchObject({ exitCode: 0 });
}

async function drainsAfterClose({ ask, app, health }: Kit): Promise<void> {
  expect((await ask('/readyz')).status).toBe(200);
  await app.close();
  expect(await health.shutdown('test')).toMatchObject({ exitCode: 0 });
}

async function leavesNothing(framework: FrameworkUnderTest, base: string): Promise<void> {
  const before = resources();
  const bare = await openKit(framework, base, false);
  const listeners = bare.app.listeners?.();
  expect((await bare.ask('/livez')).status).toBe(404);
  expect((await bare.askRoot('/orders')).text).toBe('orders');
  await bare.close();
  const kit = await openKit(framework, base);
  expect((await kit.ask('/livez')).status).toBe(200);
  if (kit.app.detach !== undefined) {
    kit.app.detach();
    expect((await kit.ask('/livez')).status).toBe(404);
    expect((await kit.askRoot('/orders')).text).toBe('orders');
    expect(kit.app.listeners?.()).toBe(listeners);
  }
  await kit.close();
  await eventually(
    'end of what it started',
    () => (resources() === before ? true : undefined),
    3000,
    () => `before: ${before}; after: ${resources()}`,
  );
}

/** What keeps or could keep the process alive, with how many of each. */
function resources(): string {
  return process
    .getActiveResourcesInfo()
    .filter((name) => /TCP|MessagePort|Worker|HTTP/.test(name))
    .toSorted()
    .join();
}

const nothing = (): undefined => undefined;

function isRefused(error: NodeJS.ErrnoException): true | undefined {
  return error.code === 'ECONNREFUSED' ? true : undefined;
}
