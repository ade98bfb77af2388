import type { ExitPermits } from '../../core/exit-permit.js';
import type { LeaseCall, LeaseStore } from '../../core/lease-store.js';
import { isInstanceBelow } from './permit-names.js';
import { type ExitPermitsOptions, resolveExitPermits } from './resolve-permits.js';
import { createSlots } from './slots.js';

/**
 * Creates the permits to leave rotation for a fleet that shares a registry of leases: as many leases as instances may be
 * out at once, `permits/<service>/<n>`. To be given to `createHealth({ mayLeave })`.
 *
 * - Guarantees, with a registry that does not forget: of the instances that know of each other, never more than
 *   `instances` less the floor are out for a shared reason at once, whatever the registry, or any of them, does.
 * - Does not: count instances that are out for reasons of their own, such as a drain or a crash.
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function exitPermits(options: ExitPermitsOptions): ExitPermits {
  return createSlots(resolveExitPermits(options));
}

/**
 * Counts the leases whose names begin with `prefix`, for {@link ExitPermitsOptions.instances}: as many as there are
 * instances, where each keeps one of its own. Permits in the same registry are none.
 */
export function leaseCount(
  store: Pick<LeaseStore, 'list'>,
  prefix: string,
): (call: LeaseCall) => Promise<number> {
  const isInstance = isInstanceBelow(prefix);
  return async (call) => (await store.list({ prefix }, call)).filter(isInstance).length;
}

export { permitsFor } from './resolve-permits.js';
export type { ExitPermitsOptions } from './resolve-permits.js';
export type { ExitAnswer, ExitCall, ExitPermits } from '../../core/exit-permit.js';
