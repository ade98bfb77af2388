import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A fresh self-signed certificate for 127.0.0.1 in a folder of its own. */
export interface Certificate {
  readonly keyFile: string;
  readonly certFile: string;
  remove(): void;
}

/** Makes one with the `openssl` of the system, valid for two days or as many as told. */
export function createCertificate(days = 2): Certificate {
  const folder = mkdtempSync(path.join(tmpdir(), 'hale-tls-'));
  const [keyFile, certFile] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name)) as [
    string,
    string,
  ];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = ['-keyout', keyFile, '-out', certFile];
  execFileSync('openssl', ['req', '-x509', '-days', `${days}`, ...key, ...files, ...subject], {
    stdio: 'ignore',
  });
  return { keyFile, certFile, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A certificate for a client, and the authority that signed it. */
export interface ClientCertificate {
  readonly key: string;
  readonly cert: string;
  /** Path of the authority's own certificate. */
  readonly caFile: string;
  remove(): void;
}

/** Makes an authority and a client's certificate that it signed. */
export function createClientCertificate(name = 'operator'): ClientCertificate {
  const authority = createCertificate();
  const folder = mkdtempSync(path.join(tmpdir(), 'hale-tls-client-'));
  const file = (base: string): string => path.join(folder, base);
  const run = (...args: string[]): void =>
    void execFileSync('openssl', args, { stdio: 'ignore', cwd: folder });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  run('req', '-new', ...key, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', `/CN=${name}`);
  const signer = ['-CA', authority.certFile, '-CAkey', authority.keyFile, '-set_serial', '7'];
  run('x509', '-req', '-in', 'request.pem', ...signer, '-days', '2', '-out', 'cert.pem');
  return {
    key: readFileSync(file('key.pem'), 'utf8'),
    cert: readFileSync(file('cert.pem'), 'utf8'),
    caFile: authority.certFile,
    remove() {
      authority.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
