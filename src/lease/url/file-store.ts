import type { LeaseStore } from '../../core/lease-store.js';
import { createPollWatch } from '../poll-watch.js';

/** A database that is open. */
export interface OpenStore {
  readonly store: LeaseStore;
  close(): unknown;
}

/** A store over a file of its own: opened by the first call, closed by `close()`, opened again by a later call. */
export function createFileStore(backend: string, open: () => OpenStore): LeaseStore {
  let opened: OpenStore | undefined;
  const store = (): LeaseStore => (opened ??= open()).store;
  const own: LeaseStore = {
    backend,
    acquire: async (...args) => store().acquire(...args),
    renew: async (...args) => store().renew(...args),
    release: async (...args) => store().release(...args),
    list: async (...args) => store().list(...args),
    watch: (query, listener, context) =>
      createPollWatch({ context, listener, list: (call) => own.list(query, call) }),
    close() {
      const { close } = opened ?? {};
      opened = undefined;
      try {
        close?.();
      } catch {
        // Whatever keeps it open ends with the process.
      }
    },
  };
  return own;
}
