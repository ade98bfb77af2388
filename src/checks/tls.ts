import { isIP } from 'node:net';
import {
  type ConnectionOptions,
  type PeerCertificate,
  type TLSSocket,
  checkServerIdentity,
  connect,
} from 'node:tls';
import { certificateTime } from '../core/certificate-time.js';
import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import type { Clock } from '../core/clock.js';
import { errorText } from '../core/error-text.js';
import { HaleError } from '../core/errors.js';
import { limitsBelow } from '../core/limits.js';
import {
  booleanOption,
  integerOption,
  numberOption,
  objectOption,
  textOption,
} from '../core/validate.js';

/** Where {@link tlsCertificate} looks. */
export interface TlsAddress {
  readonly host: string;
  /** @defaultValue 443 */
  readonly port?: number;
  /** The name that is asked for (SNI) and that the certificate must be for. @defaultValue `host` */
  readonly servername?: string;
}

/** Options of {@link tlsCertificate}. */
export interface TlsCertificateOptions extends CheckOptions {
  /** Warns when the certificate is valid for fewer days. @defaultValue 21 */
  warnDays?: number;
  /** Fails when the certificate is valid for fewer days. By default a certificate that still works does not fail. @defaultValue 0 */
  failDays?: number;
  /** Accepts a certificate that only itself vouches for. @defaultValue false */
  allowSelfSigned?: boolean;
  /** Certificates in PEM that are trusted instead of the system's. */
  ca?: string | Uint8Array;
}

type Settings = Required<TlsAddress> &
  Required<Pick<TlsCertificateOptions, 'warnDays' | 'failDays' | 'allowSelfSigned'>> & {
    ca: string | Uint8Array | undefined;
  };

const DAY_MS = 86_400_000;
const SELF_SIGNED: readonly unknown[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
];

/**
 * Makes a TLS handshake, looks at the server's certificate and those that vouch for it, and destroys the connection.
 *
 * - pass: all are valid for `warnDays` or more, trusted, and the first is for the name.
 * - warn: one is valid for fewer days (`certificate_expiring`).
 * - fail: one has expired (`certificate_expired`), is not valid yet (`certificate_not_yet_valid`) or is valid for fewer
 *   than `failDays` (`certificate_expiring`); the certificate is for another name (`certificate_name_mismatch`) or not
 *   trusted (`certificate_untrusted`); or there was no handshake before the timeout.
 *
 * Suggested impact: `degraded` or `optional`, with an `intervalMs` of minutes. Cost: one handshake per run.
 * @throws OptionError (`HALE_OPTION_INVALID`) for a bad address or an option out of range
 */
export function tlsCertificate(address: TlsAddress, options: TlsCertificateOptions = {}): Check {
  const { warnDays = 21, failDays = 0, allowSelfSigned = false, ca, ...checkOptions } = options;
  const { host, port = 443, servername = host } = objectOption('tlsCertificate.address', address);
  const settings = { host, port, servername, warnDays, failDays, allowSelfSigned, ca };
  checkSettings(settings);
  let clock: Clock | undefined;
  return {
    componentType: 'component',
    measurement: 'certificate',
    impact: 'degraded',
    ...checkOptions,
    start: (context) => {
      clock = context.clock;
    },
    run: async (signal) => {
      if (clock === undefined) {
        throw new HaleError('HALE_STATE', 'tlsCertificate runs only after its start()');
      }
      // The one decision on the wall clock: certificates know no other.
      return judge(settings, await shake(settings, signal), clock.wallNow());
    },
  };
}

function checkSettings({ host, port, servername, warnDays, failDays, allowSelfSigned }: Settings) {
  const path = (name: string) => `tlsCertificate.${name}`;
  textOption(path('address.host'), host);
  integerOption(path('address.port'), port, { min: 1, max: 65_535 });
  textOption(path('address.servername'), servername);
  numberOption(path('warnDays'), warnDays, { min: 0 });
  numberOption(path('failDays'), failDays, { min: 0 });
  limitsBelow(
    { warn: path('warnDays'), fail: path('failDays') },
    { warn: warnDays, fail: failDays },
  );
  booleanOption(path('allowSelfSigned'), allowSelfSigned);
}

interface Handshake {
  readonly chain: readonly PeerCertificate[];
  /** Why the chain is not trusted, as a code of OpenSSL; undefined when it is. */
  readonly distrust: string | undefined;
  readonly nameError: Error | undefined;
}

function shake(settings: Settings, signal: AbortSignal): Promise<Handshake> {
  const { host, port, servername } = settings;
  const label = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect(connectionOptions(settings));
    const finish = (settle: () => void) => {
      signal.removeEventListener('abort', abort);
      settle();
      socket.destroy();
    };
    const fail = (problem: string, cause?: unknown) =>
      finish(() => reject(new Error(`${label} ${problem}`, { cause })));
    const abort = () => fail('made no TLS handshake', signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    // Never taken off: an error that comes late would end the process.
    socket.on('error', (error) => fail('made no TLS handshake', error));
    socket.on('close', () => fail('closed before the TLS handshake'));
    socket.on('secureConnect', () => finish(() => resolve(lookAt(socket, servername))));
  });
}

function connectionOptions({ host, port, servername, ca }: Settings): ConnectionOptions {
  return {
    host,
    port,
    // Looked at after the handshake, so that an expired certificate can be told from a wrong one.
    rejectUnauthorized: false,
    // SNI carries names only.
    ...(isIP(servername) === 0 ? { servername } : {}),
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : Buffer.from(ca) }),
  };
}

function lookAt(socket: TLSSocket, servername: string): Handshake {
  const certificate = socket.getPeerCertificate(true);
  return {
    chain: chainOf(certificate),
    distrust: socket.authorized ? undefined : textOf(socket.authorizationError),
    nameError: checkServerIdentity(servername, certificate),
  };
}

/** A code of OpenSSL; the types say that it is an error. */
function textOf(error: unknown): string {
  return typeof error === 'string' ? error : errorText(error);
}

/** The certificate and those above it, without the root that vouches for itself. */
function chainOf(certificate: PeerCertificate): readonly PeerCertificate[] {
  const chain: PeerCertificate[] = [certificate];
  let next = (certificate as { issuerCertificate?: PeerCertificate }).issuerCertificate;
  while (next !== undefined && next !== chain.at(-1) && chain.length < 10) {
    const above = (next as { issuerCertificate?: PeerCertificate }).issuerCertificate;
    if (above === undefined || above === next) break;
    chain.push(next);
    next = above;
  }
  return chain;
}

function judge(settings: Settings, handshake: Handshake, wallNow: number): CheckResult {
  const { chain, distrust, nameError } = handshake;
  const leftMs = Math.min(...chain.map(({ valid_to }) => certificateTime(valid_to))) - wallNow;
  const days = Math.floor((leftMs / DAY_MS) * 10) / 10;
  const observed = { observedValue: days, observedUnit: 'days' };
  const failed = (code: string, output: string): CheckResult => ({
    status: 'fail',
    code,
    output: `the certificate of ${settings.servername} ${output}`,
    ...observed,
  });
  const { warnDays, failDays } = settings;
  if (!(leftMs > 0)) return failed('certificate_expired', `expired ${-days} days ago`);
  if (chain.some(({ valid_from }) => certificateTime(valid_from) > wallNow)) {
    return failed('certificate_not_yet_valid', 'is not valid yet');
  }
  if (nameError !== undefined) return failed('certificate_name_mismatch', 'is for another name');
  if (!isTrusted(distrust, settings)) {
    return failed('certificate_untrusted', `is not trusted: ${distrust}`);
  }
  const expires = `expires in ${days} days`;
  if (days < failDays) return failed('certificate_expiring', expires);
  if (days >= warnDays) return { status: 'pass', ...observed };
  return { ...failed('certificate_expiring', expires), status: 'warn' };
}

function isTrusted(distrust: string | undefined, { allowSelfSigned }: Settings): boolean {
  if (distrust === undefined) return true;
  return allowSelfSigned && SELF_SIGNED.includes(distrust);
}
