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

/** The draft's own words, then those of Spring Boot, MicroProfile, ASP.NET, Python and Go. */
const SYNONYMS: Readonly<Record<string, Status>> = {
  pass: 'pass',
  ok: 'pass',
  up: 'pass',
  healthy: 'pass',
  success: 'pass',
  passing: 'pass',
  warn: 'warn',
  warning: 'warn',
  degraded: 'warn',
  'partially available': 'warn',
  fail: 'fail',
  error: 'fail',
  down: 'fail',
  unhealthy: 'fail',
  failure: 'fail',
  failed: 'fail',
  critical: 'fail',
  unavailable: 'fail',
  out_of_service: 'fail',
  shutting_down: 'fail',
  'timeout during health check': 'fail',
};

/** Where the parts of a service are listed; the draft's own place first. */
const COLLECTIONS = ['checks', 'components', 'entries', 'details'] as const;

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
 * (`ok`, `up`, `error`, `down` and those of well-known implementations) in any case, unknown members ignored, members of
 * a wrong type left out. Parts that are listed in another place or form than the draft's are read too. A status that is
 * missing or unknown makes the document invalid: it must not be taken as good.
 */
export function parseHealthJson(text: string): ParseResult {
  let value: unknown;
  try {
    // Some writers put a byte order mark in front.
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
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
    checks: Object.fromEntries(parts(fields).map(([key, list]) => [key, parseEntries(list)])),
  };
}

/** The first collection there is: an object by name, or a list of objects that say their own. */
function parts(fields: Fields): [string, unknown][] {
  const found = COLLECTIONS.map((name) => fields[name]).find(
    (value) => typeof value === 'object' && value !== null,
  );
  if (!Array.isArray(found)) return entriesOf(found);
  return found.flatMap((part: unknown): [string, unknown][] =>
    isFields(part) && typeof part['name'] === 'string' ? [[part['name'], part]] : [],
  );
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
    ...foreignTexts(fields),
    ...texts(fields, ENTRY_TEXT_FIELDS),
    ...(observedValue === undefined ? {} : { observedValue: observedValue as JsonValue }),
    ...(Array.isArray(affectedEndpoints) ? { affectedEndpoints: strings(affectedEndpoints) } : {}),
  };
}

/** What others call the output and the time of a part. */
function foreignTexts({ error, message, timestamp }: Fields): Partial<ParsedEntry> {
  const output = [error, message].find((text) => typeof text === 'string');
  return {
    ...(typeof output === 'string' ? { output } : {}),
    ...(typeof timestamp === 'string' ? { time: timestamp } : {}),
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
