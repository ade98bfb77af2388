import type { LeaseStore } from '../core/lease-store.js';

/** The leases and permits of this process that use a store. */
const usersOf = new WeakMap<LeaseStore, Set<object>>();

/** One more that asks this store. Idempotent. */
export function beginUse(store: LeaseStore, user: object): void {
  const users = usersOf.get(store) ?? new Set();
  usersOf.set(store, users.add(user));
}

/** It asks no more; the last one closes the store, which would end what the others have under way. Idempotent. */
export function endUse(store: LeaseStore, user: object): void {
  const users = usersOf.get(store);
  users?.delete(user);
  if (users === undefined || users.size === 0) store.close?.();
}
