import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A fresh self-signed certificate for 127.0.0.1 in a folder of its own. */
export interface Certificate {
  readonly keyFile: string;
  readonly certFile: string;
  remove(): void;
}

/** Makes one with the `openssl` of the system. */
export function createCertificate(): Certificate {
  const folder = mkdtempSync(path.join(tmpdir(), 'hale-tls-'));
  const [keyFile, certFile] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name)) as [
    string,
    string,
  ];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = ['-keyout', keyFile, '-out', certFile];
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...key, ...files, ...subject], {
    stdio: 'ignore',
  });
  return { keyFile, certFile, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
