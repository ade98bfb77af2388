import { readFileSync, statSync } from 'node:fs';
import type { Clock } from '../core/clock.js';
import type { TlsFiles } from '../core/probe-options.js';
import { isPem } from '../core/resolve-tls.js';

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

/**
 * Reads certificate, key and client authority.
 * @throws Error of the system when a file cannot be read.
 */
export function readTls({ cert, key, clientCa }: TlsFiles): TlsMaterial {
  return {
    cert: pemOf(cert),
    key: pemOf(key),
    ...(clientCa === undefined ? {} : { ca: pemOf(clientCa) }),
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
      // What was in use stays in use.
      onError(error);
    }
  };
}

function pemOf(value: string): string {
  return isPem(value) ? value : readFileSync(value, 'utf8');
}

function fingerprint(files: readonly string[]): string {
  return files.map(stamp).join(' ');
}

function stamp(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? '-' : `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
}
