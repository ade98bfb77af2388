import { readFileSync, statSync } from 'node:fs';
import type { Clock } from '../core/clock.js';
import type { TlsFiles } from '../core/probe-options.js';
import { isPem } from '../core/resolve-tls.js';
import { BAD_CERTIFICATE } from './listen-error.js';

/** What a TLS server takes. */
export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

export interface TlsReloadOptions {
  readonly tls: TlsFiles;
  readonly clock: Pick<Clock, 'now'>;
  /** Uses new material; may throw, as for a key that does not fit its certificate. */
  readonly use: (material: TlsMaterial) => void;
  /** New files cannot be used; told once for each change of them. */
  readonly onError: (error: unknown) => void;
}

/** A certificate is renewed days before it ends. */
const LOOK_EVERY_MS = 10_000;

const BEGIN = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/g;
const CERTIFICATE = /-----BEGIN ((?:TRUSTED |X509 )?CERTIFICATE)-----[^-]*-----END \1-----/g;

/**
 * Reads certificate, key and client authority.
 * @throws Error when a file cannot be read, or does not hold what it should from end to end.
 */
export function readTls({ cert, key, clientCa }: TlsFiles): TlsMaterial {
  return {
    cert: certificatesOf(cert),
    key: keyOf(key),
    ...(clientCa === undefined ? {} : { ca: certificatesOf(clientCa) }),
  };
}

/** Creates what reads the files again once they have changed; to be called now and then. */
export function createTlsReload({ tls, clock, use, onError }: TlsReloadOptions): () => void {
  const files = [tls.cert, tls.key, tls.clientCa].filter(
    (file): file is string => file !== undefined && !isPem(file),
  );
  let known = fingerprint(files);
  let lookedAt = clock.now();
  return () => {
    const now = clock.now();
    if (files.length === 0 || now - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = now;
    const found = fingerprint(files);
    if (found === known) return;
    known = found;
    try {
      use(readTls(tls));
    } catch (error) {
      const { message } = error as Error;
      const text = `${BAD_CERTIFICATE}, what was in use stays in use: ${message}`;
      onError(new Error(text, { cause: error }));
    }
  };
}

function pemOf(value: string): string {
  return isPem(value) ? value : readFileSync(value, 'utf8');
}

/** The value itself may be the secret. */
function nameOf(value: string): string {
  return isPem(value) ? 'the text given' : value;
}

/** Without a key Node.js makes a server that refuses every handshake. */
function keyOf(value: string): string {
  const pem = pemOf(value);
  if (pem.trim() === '') throw new Error(`${nameOf(value)} is empty`);
  return pem;
}

/**
 * OpenSSL takes of a list what it can read and says nothing of the rest: an authority cut short would turn everybody
 * away, and in place of an empty one Node.js takes every public authority there is.
 */
function certificatesOf(value: string): string {
  const pem = pemOf(value);
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  const whole = pem.match(CERTIFICATE) ?? [];
  try {
    for (const one of whole) new X509Certificate(one);
  } catch (error) {
    throw new Error(`${nameOf(value)} holds a broken certificate`, { cause: error });
  }
  if (whole.length === 0 || whole.length !== pem.match(BEGIN)?.length)
    throw new Error(`${nameOf(value)} does not hold certificates from end to end`);
  return pem;
}

function fingerprint(files: readonly string[]): string {
  return files.map(stamp).join(' ');
}

function stamp(file: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(file);
    return `${ino}:${mtimeMs}:${size}`;
  } catch (error) {
    // Gone, or out of reach: reading it then tells.
    return (error as NodeJS.ErrnoException).code ?? '-';
  }
}
