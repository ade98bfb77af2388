import { DEFAULTS } from './defaults.js';
import { type Environment, numberSetting, textSetting, textVariable } from './environment.js';
import { OptionError } from './errors.js';
import type { DiagnosticListenerOptions } from './health-options.js';
import type { DiagnosticOptions } from './probe-options.js';
import { portOption } from './resolve-protocols.js';
import { resolveTls } from './resolve-tls.js';
import { booleanOption, textOption } from './validate.js';

/** Fewer can be tried out one after the other. */
const SHORTEST_TOKEN = 16;
/** What may stand in a header after `Bearer` (RFC 6750, section 2.1), and nothing that needs quoting. */
const TOKEN = /^[A-Za-z0-9._~+/=-]+$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/i;

/**
 * Completes the options of the diagnostic listener (E4).
 * @throws OptionError on a value outside its range, or on an address that others can reach and nothing protects.
 */
export function resolveDiagnostic(
  given: DiagnosticListenerOptions,
  env: Environment,
): DiagnosticOptions {
  const { host: asked = DEFAULTS.diagnosticHost, port = DEFAULTS.diagnosticPort } = given;
  const tokens = tokensOf(given.token, env);
  const { tls } = resolveTls('diagnostic.tls', given.tls);
  const isOpen = booleanOption('diagnostic.unprotected', given.unprotected ?? false);
  const guarded = isOpen || tokens.length > 0 || tls?.clientCa !== undefined;
  return {
    host: textSetting(env, 'HALE_DIAGNOSTIC_HOST', asked, (option, value) =>
      hostOption(option, value, guarded),
    ),
    port: numberSetting(env, 'HALE_DIAGNOSTIC_PORT', port, portOption),
    maxConnections: DEFAULTS.maxConnections,
    headersTimeoutMs: DEFAULTS.headersTimeoutMs,
    maxHeaderBytes: DEFAULTS.maxHeaderBytes,
    tokens,
    ...(tls === undefined ? {} : { tls }),
  };
}

/** Whether only this machine can reach a host. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

function hostOption(option: string, value: unknown, guarded: boolean): string {
  const host = textOption(option, value);
  if (guarded || isLoopback(host)) return host;
  const guards = 'diagnostic.token, diagnostic.tls.clientCa or diagnostic.unprotected';
  throw new OptionError(option, `a loopback address as long as ${guards} is not set`, host);
}

/** The value never gets into an error text. */
function tokensOf(given: unknown, env: Environment): readonly string[] {
  const variable = textVariable(env, 'HALE_DIAGNOSTIC_TOKEN');
  const option =
    variable === undefined ? 'diagnostic.token' : 'environment variable HALE_DIAGNOSTIC_TOKEN';
  const value = variable ?? given;
  if (value === undefined) return [];
  const tokens: unknown[] = Array.isArray(value) ? value : [value];
  for (const token of tokens) {
    if (typeof token === 'string' && token.length >= SHORTEST_TOKEN && TOKEN.test(token)) continue;
    const accepted = `a token of at least ${SHORTEST_TOKEN} letters, digits and . _ ~ + / = -`;
    throw new OptionError(option, accepted, typeof token);
  }
  return tokens as string[];
}
