import type { FleetInstance, FleetView } from '../../../src/fleet.js';

/** An instance that is well. */
export function instance(name: string, given: Partial<FleetInstance> = {}): FleetInstance {
  return {
    ...{ name, holder: `${name}:1#5f0c2a11-97e4`, token: 1n, state: 'up', held: false },
    ...{ inStateMs: 600_000, ageMs: 600_000, silentMs: 3_000, phi: 0, ttlMs: 30_000 },
    info: { version: '1.4.2', phase: 'running', status: 'pass', reason: 'ok' },
    ...given,
  };
}

/** The view that fits to a list. */
export function viewOf(list: readonly FleetInstance[], given: Partial<FleetView> = {}): FleetView {
  const count = (state: FleetInstance['state']): number =>
    list.filter((each) => each.state === state).length;
  return {
    registry: 'up',
    total: list.length,
    counts: {
      up: count('up'),
      suspect: count('suspect'),
      down: count('down'),
      unknown: count('unknown'),
    },
    held: list.filter(({ held }) => held).length,
    ...{ unwell: 0, pauses: 0 },
    ...given,
  };
}

/** What the docs show. */
export const SHOWN: readonly FleetInstance[] = [
  instance('orders/web-4', {
    ...{ state: 'down', token: 8n, ageMs: 93_000, silentMs: 41_000, phi: 100 },
    info: { version: '1.4.1', phase: 'running', status: 'pass', reason: 'ok' },
  }),
  instance('orders/web-2', { state: 'suspect', token: 3n, silentMs: 25_700, phi: 9.6 }),
  instance('orders/web-5', {
    ...{ token: 9n, ageMs: 8_200, silentMs: 1_400 },
    info: { version: '1.4.2', phase: 'starting', status: 'fail', reason: 'starting' },
  }),
  instance('orders/web-3', {
    ...{ token: 5n, ageMs: 14_520_000, silentMs: 7_800 },
    info: {
      ...{ version: '1.4.2', phase: 'running', status: 'fail' },
      reason: 'check_failed:database',
    },
  }),
  instance('orders/web-0', { token: 7n, ageMs: 14_580_000, silentMs: 2_300 }),
  instance('orders/web-1', {
    ...{ token: 4n, ageMs: 14_700_000, silentMs: 9_100 },
    info: { version: '1.4.2', phase: 'running', status: 'warn', reason: 'check_degraded:cache' },
  }),
];
