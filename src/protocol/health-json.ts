import type { CheckStatus, Impact, JsonValue, Status } from '../core/check.js';
import type { Diagnosis } from '../core/diagnosis.js';
import { diagnosisJson } from './diagnosis-json.js';

/**
 * A service's health after draft-inadarei-api-health-check-06, section 3. Members the draft does not know
 * (`reason`, `phase`, `diagnosis`) stand beside its own.
 */
export interface HealthDocument {
  readonly status: Status;
  readonly reason: string;
  readonly phase: string;
  readonly version?: string;
  readonly releaseId?: string;
  readonly serviceId?: string;
  readonly description?: string;
  readonly notes?: readonly string[];
  /** Raw error text; left out when passing. */
  readonly output?: string;
  readonly checks: Readonly<Record<string, readonly HealthEntry[]>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly diagnosis?: Diagnosis;
}

/** One node or instance of a component (section 4), with hale's further members. */
export interface HealthEntry {
  readonly componentId?: string;
  readonly componentType?: string;
  readonly observedValue?: JsonValue;
  readonly observedUnit?: string;
  readonly status: Status;
  /** Left out when passing. */
  readonly affectedEndpoints?: readonly string[];
  /** ISO 8601. */
  readonly time?: string;
  /** Left out when passing. */
  readonly output?: string;
  readonly links?: Readonly<Record<string, string>>;
  readonly impact?: Impact;
  /** The status after thresholds and expiry; `unknown` shows as `fail` in `status`. */
  readonly verdict?: CheckStatus;
  readonly code?: string;
  readonly durationMs?: number;
  readonly runs?: number;
  readonly abandoned?: number;
  readonly hanging?: number;
  readonly transitions?: number;
  /** ISO 8601. */
  readonly changedAt?: string;
}

/** An entry, made when it is needed, and the key it is listed under. */
export interface NamedEntry {
  readonly component: string;
  readonly measurement?: string | undefined;
  readonly entry: () => HealthEntry;
}

/** The draft's key: `component:measurement`, or the component alone. */
export function entryKey(component: string, measurement?: string): string {
  return measurement === undefined ? component : `${component}:${measurement}`;
}

/** Lists entries under their keys, and makes those of a key when it is asked for; several with one key keep their order. */
export function* groupEntries(
  named: readonly NamedEntry[],
): Generator<readonly [key: string, entries: readonly HealthEntry[]], undefined, undefined> {
  const groups = new Map<string, NamedEntry[]>();
  for (const each of named) {
    const key = entryKey(each.component, each.measurement);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  for (const [key, group] of groups) yield [key, group.map(({ entry }) => entry())];
}

/** Renders a document whole. */
export function renderHealthJson({ checks, ...head }: HealthDocument): string {
  return [...healthJson(head, Object.entries(checks))].join('');
}

/**
 * Renders a document in parts, each check one of them; what must be left out when passing is left out here, whatever
 * the caller filled in.
 */
export function* healthJson(
  { diagnosis, ...head }: Omit<HealthDocument, 'checks'>,
  checks: Iterable<readonly [key: string, entries: readonly HealthEntry[]]>,
): Generator<string, undefined, undefined> {
  yield `${JSON.stringify(strip(head)).slice(0, -1)},"checks":{`;
  let comma = '';
  for (const [key, entries] of checks) {
    yield `${comma}${JSON.stringify(key)}:${JSON.stringify(entries.map(strip))}`;
    comma = ',';
  }
  yield '}';
  if (diagnosis !== undefined) {
    yield ',"diagnosis":';
    yield* diagnosisJson(diagnosis);
  }
  yield '}';
}

function strip<T extends { readonly status: Status; readonly output?: string }>(
  part: T,
): Partial<T> {
  if (part.status !== 'pass') return part;
  const {
    output: _output,
    affectedEndpoints: _affected,
    ...rest
  } = part as T & {
    readonly affectedEndpoints?: unknown;
  };
  return rest as unknown as Partial<T>;
}
