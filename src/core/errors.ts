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
  | 'HALE_TOO_MANY';

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

/** Tells a hale error from any other value, also when two copies of the package are loaded. */
export function isHaleError(value: unknown, code?: HaleErrorCode): value is HaleError {
  if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
  return code === undefined || (value as HaleError).code === code;
}

/** A short, safe rendering of any value for an error message. */
export function describe(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'function') return `function ${value.name || '(anonymous)'}`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) {
    return `an object of ${(value as object).constructor?.name ?? 'no class'}`;
  }
  return String(value);
}
