import type {
  LeaseAcquired,
  LeaseClaim,
  LeaseOwner,
  LeaseRecord,
  LeaseRequest,
  LeaseStore,
} from '../../core/lease-store.js';
import { createPollWatch } from '../poll-watch.js';

/** One name; never deleted, because its token must not start again. */
interface Row {
  token: bigint;
  revision: number;
  holder: string | undefined;
  ttlMs: number;
  expiresAt: number;
  data: string;
}

/**
 * Keeps leases in the memory of this process: for tests, and for programs that are alone on their machine.
 *
 * - Guarantees: one holder, and tokens that only grow, among those who share this object.
 * - Does not: survive the process. Two processes have two stores and two holders.
 */
export function memoryLease(): LeaseStore {
  const rows = new Map<string, Row>();

  const taken = (name: string, now: number): Row | undefined => {
    const row = rows.get(name);
    return row?.holder !== undefined && now < row.expiresAt ? row : undefined;
  };
  const matching = ({ name, holder, token }: LeaseClaim, now: number): Row | undefined => {
    const row = taken(name, now);
    return row?.holder === holder && row.token === token ? row : undefined;
  };
  const grant = ({ name, holder, ttlMs, data }: LeaseRequest, now: number): LeaseAcquired => {
    const { token = 0n, revision = 0 } = rows.get(name) ?? {};
    const next = { token: token + 1n, revision: revision + 1 };
    rows.set(name, { ...next, holder, ttlMs, expiresAt: now + ttlMs, data });
    return { kind: 'granted', token: next.token, ttlMs };
  };

  const store: LeaseStore = {
    backend: 'memory',
    async acquire(request, { clock, signal }) {
      signal.throwIfAborted();
      const now = clock.now();
      const row = taken(request.name, now);
      if (row === undefined || row.holder === request.holder) return grant(request, now);
      return { kind: 'denied', owner: ownerOf(row, now) };
    },
    async renew(renewal, { clock, signal }) {
      signal.throwIfAborted();
      const now = clock.now();
      const row = matching(renewal, now);
      if (row === undefined) return { kind: 'lost', owner: ownerOf(taken(renewal.name, now), now) };
      const { ttlMs, data } = renewal;
      Object.assign(row, { ttlMs, data, expiresAt: now + ttlMs, revision: row.revision + 1 });
      return { kind: 'renewed', ttlMs };
    },
    async release(claim, { clock, signal }) {
      signal.throwIfAborted();
      const row = matching(claim, clock.now());
      if (row === undefined) return { kind: 'not_held' };
      row.holder = undefined;
      return { kind: 'released' };
    },
    async list({ prefix = '' }, { clock, signal }) {
      signal.throwIfAborted();
      const now = clock.now();
      const names = [...rows.keys()].filter((name) => name.startsWith(prefix)).toSorted();
      return names.flatMap((name) => recordOf(name, taken(name, now), now));
    },
    watch: (query, listener, context) =>
      createPollWatch({ context, listener, list: (call) => store.list(query, call) }),
  };
  return store;
}

function ownerOf(row: Row | undefined, now: number): LeaseOwner {
  if (row?.holder === undefined) return {};
  return { holder: row.holder, token: row.token, expiresInMs: row.expiresAt - now };
}

function recordOf(name: string, row: Row | undefined, now: number): LeaseRecord[] {
  if (row?.holder === undefined) return [];
  const { holder, token, ttlMs, expiresAt, revision, data } = row;
  const expiresInMs = expiresAt - now;
  return [{ name, holder, token, ttlMs, expiresInMs, revision: String(revision), data }];
}
