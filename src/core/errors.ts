const BRAND = Symbol.for('hale.error');

/** Stable codes of every error hale throws. */
export type HaleErrorCode =
  | 'HALE_OPTION_INVALID'
  | 'HALE_GUARD_ASYNC'
  | 'HALE_CHECK_EXISTS'
  | 'HALE_CHECK_UNKNOWN'
  | 'HALE_CHECK_TIMEOUT'
  | 'HALE_CHECK_HUNG'
  | 'HALE_OUTCOME_INVALID'
  | 'HALE_PORT_IN_USE'
  | 'HALE_LISTEN_FAILED'
  | 'HALE_PROBE_THREAD_FAILED'
  | 'HALE_STATE'
  | 'HALE_DISPOSED'
  | 'HALE_ABORTED'
  | 'HALE_TOO_MANY'
  | 'HALE_CONFORMANCE'
  | 'HALE_LEASE_LOST'
  | 'HALE_FENCED'
  | 'HALE_GUARD_TIMEOUT'
  | 'HALE_KILL_SWITCH_UNAVAILABLE'
  | 'HALE_CLIENT_MISSING';

/** The base of every error hale throws; recognise one with {@link isHaleError}, not `instanceof`. */
export class HaleError extends Error {
  readonly code: HaleErrorCode;
  readonly [BRAND] = true;

  constructor(code: HaleErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'HaleError';
    this.code = code;
  }
}

/** An option has a value outside its accepted range; `code` is `HALE_OPTION_INVALID`. */
export class OptionError extends HaleError {
  /** The option's full path, such as `checks.database.timeoutMs`. */
  readonly option: string;

  constructor(option: string, accepted: string, got: unknown) {
    super('HALE_OPTION_INVALID', `${option} must be ${accepted}, got ${describe(got)}`);
    this.name = 'OptionError';
    this.option = option;
  }
}

/** Tells a hale error from any other value, also when two copies of the package are loaded; never throws. */
export function isHaleError(value: unknown, code?: HaleErrorCode): value is HaleError {
  try {
    if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
    return code === undefined || (value as HaleError).code === code;
  } catch {
    // A proxy or a getter that throws is not one of ours.
    return false;
  }
}

const MAX_DESCRIBED = 60;

/** A short rendering of any value for an error message; never throws, whatever the value does when looked at. */
export function describe(value: unknown): string {
  try {
    return rendering(value);
  } catch {
    return `an unreadable ${typeof value}`;
  }
}

function rendering(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(shorten(value));
    case 'function':
      return `function ${nameOf(value) ?? '(anonymous)'}`;
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return `an array of ${value.length}`;
      return `an object of ${nameOf(value.constructor) ?? 'no class'}`;
    case 'bigint':
      // Printing a huge one takes longer than any check may.
      return BigInt.asIntN(64, value) === value ? `${value}n` : 'a bigint of more than 64 bits';
    default:
      return shorten(String(value));
  }
}

function nameOf(value: unknown): string | undefined {
  const name: unknown = typeof value === 'function' ? value.name : undefined;
  return typeof name === 'string' && name !== '' ? shorten(name) : undefined;
}

function shorten(text: string): string {
  return text.length > MAX_DESCRIBED ? `${text.slice(0, MAX_DESCRIBED)}…` : text;
}
