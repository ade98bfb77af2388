import { isoTime } from '../core/iso-time.js';
import { ForeignEntry } from './foreign-entry.js';

/** A Lease of `coordination.k8s.io/v1`, as much of it as matters. */
export interface LeaseObject {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [more: string]: unknown;
  };
  readonly spec?: LeaseSpec;
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly leaseTransitions?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
}

/** A Lease that is one of hale's. */
export interface KubernetesEntry {
  readonly name: string;
  /** Absent once it was released. */
  readonly holder: string | undefined;
  readonly token: bigint;
  readonly ttlMs: number;
  readonly data: string;
  readonly revision: string;
}

/** What is to be written. */
export interface KubernetesChange {
  readonly name: string;
  readonly holder: string | undefined;
  readonly token: bigint;
  readonly ttlMs: number;
  readonly data: string;
}

/** What a list of hale's own is selected by. */
export const MANAGED_BY = { label: 'app.kubernetes.io/managed-by', value: 'hale' } as const;
const NAME = 'hale/name';
const DATA = 'hale/data';

/** RFC 1123, as Kubernetes wants names of Leases. */
const OBJECT_NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_NAME = 253;

/** The object of a lease: its own name where Kubernetes allows it, a readable part and a hash where it does not. */
export function objectName(prefix: string, name: string): string {
  const plain = prefix + name;
  if (plain.length <= LONGEST_NAME && OBJECT_NAME.test(plain)) return plain;
  const words = name
    .toLowerCase()
    .slice(0, 60)
    .split(/[^a-z0-9]+/);
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256').update(name);
  return prefix + [...words.filter(Boolean), hash.digest('hex').slice(0, 24)].join('-');
}

/** Whether names of objects may begin with it. */
export function isNamePrefix(prefix: string): boolean {
  return prefix.length <= 100 && OBJECT_NAME.test(`${prefix}x`);
}

/** @throws ForeignEntry for an object that is no lease of hale's, or another's under a name that hashes alike */
export function entryOf({ metadata, spec = {} }: LeaseObject, name?: string): KubernetesEntry {
  const { annotations = {}, resourceVersion } = metadata;
  const found = annotations[NAME];
  const { leaseTransitions: token = 0 } = spec;
  const isOther = name !== undefined && found !== name;
  if (found === undefined || isOther || !resourceVersion || !Number.isSafeInteger(token))
    throw new ForeignEntry('Kubernetes', `Lease ${metadata.name}`);
  return {
    name: found,
    holder: spec.holderIdentity || undefined,
    token: BigInt(token),
    ttlMs: (spec.leaseDurationSeconds ?? 0) * 1000,
    data: annotations[DATA] ?? '',
    revision: resourceVersion,
  };
}

/** Kubernetes counts whole seconds. */
export function wholeSeconds(ttlMs: number): number {
  return Math.max(1, Math.floor(ttlMs / 1000));
}

/** The object to write over another one, or as a new one. It carries over the revision, so that it replaces no later one. */
export function changedObject(
  before: Pick<LeaseObject, 'metadata'> & Partial<LeaseObject>,
  { name, holder, token, ttlMs, data }: KubernetesChange,
  wallMs: number,
): LeaseObject {
  const { managedFields: _, ...metadata } = before.metadata;
  const { leaseTransitions, acquireTime, renewTime, ...spec } = before.spec ?? {};
  const renewed = microTime(wallMs, renewTime);
  const isNew = token !== BigInt(leaseTransitions ?? 0);
  return {
    ...before,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [MANAGED_BY.label]: MANAGED_BY.value },
      annotations: { ...metadata.annotations, [NAME]: name, [DATA]: data },
    },
    spec: {
      ...spec,
      holderIdentity: holder,
      leaseDurationSeconds: wholeSeconds(ttlMs),
      leaseTransitions: Number(token),
      acquireTime: isNew ? renewed : acquireTime,
      renewTime: renewed,
    } as LeaseSpec,
  };
}

/**
 * The time as a MicroTime, for people; never the one before: a write that changes nothing is no sign of life to Kubernetes,
 * it keeps the revision.
 */
export function microTime(wallMs: number, before = ''): string {
  const millis = isoTime(wallMs).slice(0, -1);
  const micros = before.startsWith(millis) ? Number(before.slice(millis.length, -1)) + 1 : 0;
  return `${millis}${String(micros % 1000).padStart(3, '0')}Z`;
}
