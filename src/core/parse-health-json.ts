import type { JsonValue, Status } from './check.js';

/** A health document as read from another service; every member but `status` may be absent. */
export interface ParsedHealth {
  readonly status: Status;
  readonly version?: string;
  readonly releaseId?: string;
  readonly serviceId?: string;
  readonly description?: string;
  readonly output?: string;
  readonly notes: readonly string[];
  readonly links: Readonly<Record<string, string>>;
  readonly checks: Readonly<Record<string, readonly ParsedEntry[]>>;
}

export interface ParsedEntry {
  /** Absent when the entry has none, which the draft allows. */
  readonly status?: Status;
  readonly componentId?: string;
  readonly componentType?: string;
  readonly observedValue?: JsonValue;
  readonly observedUnit?: string;
  readonly time?: string;
  readonly output?: string;
  readonly affectedEndpoints?: readonly string[];
}

export type ParseResult =
  | { readonly kind: 'health'; readonly health: ParsedHealth }
  | { readonly kind: 'invalid'; readonly why: string };

type Fields = Readonly<Record<string, unknown>>;

const SYNONYMS: Readonly<Record<string, Status>> = {
  pass: 'pass',
  ok: 'pass',
  up: 'pass',
  warn: 'warn',
  fail: 'fail',
  error: 'fail',
  down: 'fail',
};

const TEXT_FIELDS = ['version', 'releaseId', 'serviceId', 'description', 'output'] as const;
const ENTRY_TEXT_FIELDS = [
  'componentId',
  'componentType',
  'observedUnit',
  'time',
  'output',
] as const;

/**
 * Reads health+json from another service, tolerant after draft-inadarei-api-health-check-06, section 3.1: synonyms
 * (`ok`, `up`, `error`, `down`) in any case, unknown members ignored, members of a wrong type left out. A status that
 * is missing or unknown makes the document invalid: it must not be taken as good.
 */
export function parseHealthJson(text: string): ParseResult {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'invalid', why: 'not JSON' };
  }
  if (!isFields(value)) return { kind: 'invalid', why: 'not a JSON object' };
  const status = parseHealthStatus(value['status']);
  if (status === undefined)
    return { kind: 'invalid', why: `no known status, got ${brief(value['status'])}` };
  return {
    kind: 'health',
    health: { status, ...texts(value, TEXT_FIELDS), ...collections(value) },
  };
}

/** Reads a status or one of its synonyms; `undefined` when it is neither. */
export function parseHealthStatus(value: unknown): Status | undefined {
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  return Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined;
}

function collections(fields: Fields): Pick<ParsedHealth, 'notes' | 'links' | 'checks'> {
  return {
    notes: strings(fields['notes']),
    links: Object.fromEntries(entriesOf(fields['links']).filter(isTextEntry)),
    checks: Object.fromEntries(
      entriesOf(fields['checks']).map(([key, list]) => [key, parseEntries(list)]),
    ),
  };
}

/** An array after the draft; the single object some services send is read as an array of one. */
function parseEntries(list: unknown): ParsedEntry[] {
  const entries: unknown[] = Array.isArray(list) ? list : [list];
  return entries.filter(isFields).map(parseEntry);
}

function parseEntry(fields: Fields): ParsedEntry {
  const status = parseHealthStatus(fields['status']);
  const { observedValue, affectedEndpoints } = fields;
  return {
    ...(status === undefined ? {} : { status }),
    ...texts(fields, ENTRY_TEXT_FIELDS),
    ...(observedValue === undefined ? {} : { observedValue: observedValue as JsonValue }),
    ...(Array.isArray(affectedEndpoints) ? { affectedEndpoints: strings(affectedEndpoints) } : {}),
  };
}

function texts<K extends string>(fields: Fields, names: readonly K[]): Partial<Record<K, string>> {
  const found = names.filter((name) => typeof fields[name] === 'string');
  return Object.fromEntries(found.map((name) => [name, fields[name]])) as Partial<
    Record<K, string>
  >;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function entriesOf(value: unknown): [string, unknown][] {
  return isFields(value) ? Object.entries(value) : [];
}

function isTextEntry(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function brief(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : typeof value;
}
