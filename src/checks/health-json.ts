import type { Check, CheckOptions, CheckResult, Status } from '../core/check.js';
import { OptionError } from '../core/errors.js';
import {
  type FetchLike,
  type HttpTarget,
  httpRequest,
  httpTarget,
  readBody,
  requestHeaders,
} from '../core/http-client.js';
import { type ParsedHealth, parseHealthJson } from '../core/parse-health-json.js';
import { functionOption, integerOption } from '../core/validate.js';

/** Options of {@link healthJson}. */
export interface HealthJsonOptions extends CheckOptions {
  /** Never `critical` (R9). @defaultValue 'degraded' */
  impact?: 'degraded' | 'optional';
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** A document longer than this cannot be judged. @defaultValue 262144 */
  maxBodyBytes?: number;
  /** Replaces the global `fetch`. */
  fetch?: FetchLike;
}

interface Settings {
  readonly target: HttpTarget;
  readonly method: 'GET';
  readonly headers: Record<string, string>;
  readonly maxBodyBytes: number;
  readonly fetch: FetchLike | undefined;
}

/** A list of names is cut here: it comes from somebody else. */
const MAX_NAMES = 5;
const MAX_NAME = 64;

/**
 * Reads the health document of another service (health+json after draft-inadarei-api-health-check-06, so also another
 * hale's) and says what it means here. It never takes this instance out of rotation: a peer's readiness that did would
 * cascade (R9), so `critical` is refused.
 *
 * - pass: the document says so, with an HTTP status below 400.
 * - warn: the document says so; code `peer_warns`.
 * - fail: the document says so (`peer_fails`), or the HTTP status does, which wins over a better document; the answer is
 *   no such document; the request failed, or there was no answer before the timeout.
 *
 * Suggested impact: `degraded`, or `optional` for a peer that is not needed for every answer. Cost: one request per run.
 * @param url - absolute http or https URL; credentials in it are sent as Basic authorization
 * @throws OptionError (`HALE_OPTION_INVALID`) for impact `critical`, a bad URL or an option out of range
 */
export function healthJson(url: string | URL, options: HealthJsonOptions = {}): Check {
  const { headers, maxBodyBytes = 262_144, fetch, impact = 'degraded', ...checkOptions } = options;
  refuseCritical(impact);
  integerOption('healthJson.maxBodyBytes', maxBodyBytes, { min: 1 });
  if (fetch !== undefined) functionOption('healthJson.fetch', fetch);
  const target = httpTarget('healthJson.url', url);
  const accept = 'application/health+json, application/json';
  const sent = { accept, ...requestHeaders('healthJson.headers', target, headers) };
  const settings: Settings = { target, method: 'GET', headers: sent, maxBodyBytes, fetch };
  return {
    componentType: 'component',
    measurement: 'peerHealth',
    ...checkOptions,
    impact,
    run: (signal) => request(settings, signal),
  };
}

function refuseCritical(impact: unknown): void {
  if (impact === 'degraded' || impact === 'optional') return;
  throw new OptionError(
    'healthJson.impact',
    '"degraded" or "optional", because health must not cascade: if a peer\'s answer took this instance out of rotation, one sick service would take out all that call it, and all that call those',
    impact,
  );
}

async function request(settings: Settings, signal: AbortSignal): Promise<CheckResult> {
  const { target, maxBodyBytes } = settings;
  const response = await httpRequest(settings, signal);
  const answered = `GET ${target.label} answered ${response.status}`;
  // The status of a failing peer is 503, with the document that says why.
  const body = await readBody(response, maxBodyBytes, signal);
  if (body === undefined) throw new Error(`${answered} with more than ${maxBodyBytes} bytes`);
  const parsed = parseHealthJson(body);
  if (parsed.kind === 'invalid') throw new Error(`${answered} without health+json: ${parsed.why}`);
  return judge(answered, response.status, parsed.health);
}

function judge(answered: string, httpStatus: number, health: ParsedHealth): CheckResult {
  const isGood = httpStatus >= 200 && httpStatus < 400;
  // A document that says pass behind a 500 was written by nobody who knows.
  const status: Status = isGood ? health.status : 'fail';
  const observedValue = health.status;
  if (status === 'pass') return { status, observedValue };
  const code = status === 'warn' ? 'peer_warns' : 'peer_fails';
  const names = troubled(health);
  const because = names === '' ? '' : `: ${names}`;
  return { status, code, output: `${answered}, ${health.status}${because}`, observedValue };
}

/** Names of the peer's checks that do not pass. */
function troubled({ checks }: ParsedHealth): string {
  const names = Object.entries(checks)
    .filter(([, entries]) => entries.some(({ status }) => status === 'warn' || status === 'fail'))
    .map(([name]) => name.slice(0, MAX_NAME));
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return names.slice(0, MAX_NAMES).join(', ') + more;
}
