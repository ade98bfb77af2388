import { OptionError } from './errors.js';
import type { TlsFiles } from './probe-options.js';
import { objectOption } from './validate.js';

const ACCEPTED = 'PEM text or the absolute path of a PEM file';

/**
 * Completes the `tls` option of a listener; whether its files can be read is found out when it starts.
 * @throws OptionError naming the option; the value stays out of the text, since it may hold a key.
 */
export function resolveTls(option: string, given: unknown): { readonly tls?: TlsFiles } {
  if (given === undefined) return {};
  const { cert, key, clientCa } = objectOption<{ [K in keyof TlsFiles]?: unknown }>(
    option,
    given as object,
  );
  return {
    tls: {
      cert: pemOption(`${option}.cert`, cert),
      key: pemOption(`${option}.key`, key),
      ...(clientCa === undefined ? {} : { clientCa: pemOption(`${option}.clientCa`, clientCa) }),
    },
  };
}

/** Whether a text is PEM itself, and not the path of a file. */
export function isPem(text: string): boolean {
  return text.includes('-----BEGIN ');
}

function pemOption(option: string, value: unknown): string {
  if (typeof value === 'string' && (isPem(value) || isAbsolute(value))) return value;
  throw new OptionError(option, ACCEPTED, typeof value);
}

/** Where a relative path leads depends on who starts the process, and from where. */
export function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path) && !path.includes('\0');
}
