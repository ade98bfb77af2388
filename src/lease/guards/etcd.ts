import type { Clock } from '../../core/clock.js';
import { objectOption, textOption } from '../../core/validate.js';
import { type EtcdAccessOptions, etcdGateway } from '../etcd-access.js';
import { revisionOf, toBase64 } from '../etcd-entries.js';
import type { EtcdAnswer } from '../etcd-gateway.js';
import {
  type FenceClaim,
  type SignalledClaim,
  claimTexts,
  fencedError,
  isAccepted,
} from './claim.js';
import { type GuardTimeOptions, inTime, timeLimit } from './time-limit.js';

/** One change of a key of etcd. */
export type EtcdWrite =
  | { readonly put: string; readonly value: string }
  | { readonly delete: string };

/** Options of {@link etcdGuard}. */
export interface EtcdGuardOptions extends EtcdAccessOptions, GuardTimeOptions {
  /** What the key of a resource's token begins with. It must not be deleted. @defaultValue 'hale/fence/' */
  prefix?: string;
}

/** Writes to etcd that a newer token has not overtaken. */
export interface EtcdGuard {
  /**
   * Makes all changes or none, in one transaction with the comparison of the token, and resolves with its revision. A
   * grant's signal ends the wait; the write may have taken effect then.
   * @throws HaleError `HALE_FENCED` when the token is too old: nothing was written. `HALE_GUARD_TIMEOUT` without an answer.
   */
  write(resource: string, claim: SignalledClaim, writes: readonly EtcdWrite[]): Promise<bigint>;
  /** Closes connections as soon as they are idle; a later write opens new ones. */
  close(): void;
}

/** Of writes that race, one is done in each round. */
const ROUNDS = 200;

/** Creates the guard of keys of etcd. */
export function createEtcdGuard(
  url: string | URL | readonly (string | URL)[],
  options: EtcdGuardOptions,
  systemClock: Clock,
): EtcdGuard {
  const { prefix = 'hale/fence/', ...access } = objectOption('etcdGuard', options);
  const limit = timeLimit('etcdGuard', options, systemClock);
  const start = textOption('etcdGuard.prefix', prefix);
  const gateway = etcdGateway('etcdGuard', url, access);
  const write = async (
    resource: string,
    claim: FenceClaim,
    changes: readonly object[],
    signal: AbortSignal,
  ): Promise<bigint> => {
    const { token, holder } = claimTexts(claim);
    const key = toBase64(start + textOption('fence.resource', resource));
    const value = toBase64(`${token} ${holder}`);
    const failure = [{ request_range: { key } }];
    // Most writes are not the first of their holder.
    let compare: object = { target: 'VALUE', value };
    let success = changes;
    for (let round = 0; round < ROUNDS; round += 1) {
      const body = { compare: [{ key, result: 'EQUAL', ...compare }], success, failure };
      const answer = await gateway.call('/v3/kv/txn', body, signal);
      const revision = revisionOf(answer);
      if (answer['succeeded'] === true) return revision;
      const seen = seenIn(answer);
      if (!isAccepted(claim, seen?.claim)) throw fencedError(resource, claim);
      const mod_revision = seen?.revision ?? '0';
      compare = { target: 'MOD', mod_revision };
      success = [{ request_put: { key, value } }, ...changes];
    }
    throw new Error(`"${resource}" was written by others ${ROUNDS} times meanwhile`);
  };
  return {
    write: (resource, claim, writes) =>
      inTime(limit, resource, claim.signal, (signal) =>
        write(resource, claim, writes.map(requestOf), signal),
      ),
    close: () => gateway.close(),
  };
}

function requestOf(write: EtcdWrite): object {
  if ('put' in write)
    return { request_put: { key: toBase64(write.put), value: toBase64(write.value) } };
  return { request_delete_range: { key: toBase64(write.delete) } };
}

/** Whose claim the key holds, and since which revision. @throws Error for a key that holds something else */
function seenIn(answer: EtcdAnswer): { claim: FenceClaim; revision: string } | undefined {
  const [failure] = (answer['responses'] ?? []) as {
    response_range?: { kvs?: { value?: string; mod_revision?: string }[] };
  }[];
  const [pair] = failure?.response_range?.kvs ?? [];
  if (pair === undefined) return undefined;
  const text = Buffer.from(pair.value ?? '', 'base64').toString();
  const [, token = '', holder = ''] = /^(\d+) (.+)$/s.exec(text) ?? [];
  if (token === '' || pair.mod_revision === undefined)
    throw new Error('etcd has something else than a token under the key of the guard');
  return { claim: { token: BigInt(token), holder }, revision: pair.mod_revision };
}
