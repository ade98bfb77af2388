import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/core/clock.js';
import type { DiagnosticOptions, TlsFiles } from '../../src/core/probe-options.js';
import { systemClock } from '../../src/engine/system-clock.js';
import {
  type Certificate,
  type ClientCertificate,
  createCertificate,
  createClientCertificate,
} from '../support/certificate.js';
import { probeOptions } from '../support/probing.js';
import { exchange, rawTlsConnection } from '../support/raw-http.js';
import { type HostKit, ISOLATIONS, createHostKit } from './host-kit.js';

const TOKEN = 'correct-horse-battery-staple';
const CLOSE = 'Connection: close\r\n\r\n';

let kit: HostKit;
let certificate: Certificate;
let client: ClientCertificate;
beforeAll(() => {
  certificate = createCertificate();
  client = createClientCertificate();
});
afterAll(() => {
  certificate?.remove();
  client?.remove();
});
afterEach(() => kit?.host.dispose());

async function start(
  isolation: (typeof ISOLATIONS)[number],
  changes: Partial<DiagnosticOptions>,
  clock: Clock = systemClock,
): Promise<number> {
  const { listener } = probeOptions();
  if (listener === false) throw new Error('the probe listener is off');
  const diagnostic = { ...listener, host: '127.0.0.1', tokens: [], ...changes };
  kit = createHostKit(isolation, { diagnostic }, { clock });
  await kit.start();
  return kit.port('diagnostic');
}

/** Everything but the clock reading of the header `Date`. */
const dateless = (text: string) => text.replace(/\r\nDate: [^\r]*/, '');
const get = (path: string, authorization = '') =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}${CLOSE}`;

describe.each(ISOLATIONS)('E4: the diagnostic listener with a token (%s)', (isolation) => {
  it('tells a wrong caller nothing: each byte is the same', async () => {
    const port = await start(isolation, { tokens: [TOKEN] });
    const right = await exchange(
      port,
      get('/healthz/status', `Authorization: Bearer ${TOKEN}\r\n`),
    );
    expect(right).toMatch(/^HTTP\/1\.1 200 /);
    const wrong = [
      get('/healthz/status'),
      get('/healthz/status', `Authorization: Bearer ${TOKEN.slice(0, -1)}\r\n`),
      get('/healthz/status', `Authorization: Bearer ${'x'.repeat(4000)}\r\n`),
      get('/healthz/status', 'Authorization: Basic Og==\r\n'),
      get('/livez'),
      get('/metrics'),
      get('/readyz/database'),
      get('/nowhere'),
      get('/readyz?verbose'),
      `DELETE /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\n${CLOSE}`,
      `GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: more\r\n${CLOSE}`,
    ];
    const answers = new Set<string>();
    for (const request of wrong) answers.add(dateless(await exchange(port, request)));
    expect([...answers]).toHaveLength(1);
    const [answer = ''] = answers;
    expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
    expect(answer).toContain('\r\nWWW-Authenticate: Bearer\r\n');
    expect(answer).not.toMatch(/hale|pass|fail|database/i);
    expect(kit.errors).toEqual([]);
  });
});

describe('E4: the diagnostic listener on loopback', () => {
  it('answers nobody who came by the name of a web page', async () => {
    const port = await start('thread', {});
    expect(await exchange(port, get('/healthz/status'))).toMatch(/^HTTP\/1\.1 200 /);
    const rebound = get('/healthz/status').replace('Host: 127.0.0.1', 'Host: evil.example:9401');
    expect(await exchange(port, rebound)).toMatch(/^HTTP\/1\.1 421 /);
  });
});

describe.each(ISOLATIONS)('E4: mutual TLS (%s)', (isolation) => {
  const files = (): TlsFiles => ({
    cert: certificate.certFile,
    key: certificate.keyFile,
    clientCa: client.caFile,
  });

  it('lets in who has a certificate of the authority', async () => {
    const port = await start(isolation, { host: '0.0.0.0', tls: files() });
    const { key, cert } = client;
    const known = () => rawTlsConnection(port, { key, cert });
    expect(await exchange(port, get('/healthz/status'), known)).toMatch(/^HTTP\/1\.1 200 /);
    // Not by address only: the guard against names is for callers without a certificate.
    const named = get('/healthz/status').replace('Host: 127.0.0.1', 'Host: service.example');
    expect(await exchange(port, named, known)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'ends the handshake of anybody else, before there is a request (%s)',
    async (version) => {
      const port = await start(isolation, { tls: files() });
      const stranger = createClientCertificate('operator');
      const callers = [{}, { key: stranger.key, cert: stranger.cert }];
      for (const caller of callers) {
        const open = () => rawTlsConnection(port, { maxVersion: version, ...caller });
        // With TLS 1.3 the client learns of it only after its own part of the handshake.
        const seen = await exchange(port, get('/healthz/status'), open).catch(
          (error: NodeJS.ErrnoException) => error.code,
        );
        expect(seen === '' || /^(ERR_SSL|ECONNRESET|EPIPE)/.test(seen ?? '')).toBe(true);
      }
      stranger.remove();
      const plain = await exchange(port, get('/healthz/status'));
      expect(plain).not.toContain('HTTP/1.1 200');
      expect(kit.errors).toEqual([]);
    },
  );
});

describe('E4: a client authority that cannot be read', () => {
  const BROKEN = {
    'an empty one': () => '',
    'one that is none': () => 'garbage',
    'one cut short': (whole: string) => whole.slice(0, whole.length / 2),
    'one with a hole': (whole: string) => whole.replace(/\n.{20}/, '\n'),
  };

  it.each(Object.entries(BROKEN))('is refused: %s', async (_, broken) => {
    const authority = createCertificate();
    const whole = readFileSync(client.caFile, 'utf8');
    const tls = { cert: certificate.certFile, key: certificate.keyFile };
    let laterMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + laterMs };
    copyFileSync(client.caFile, authority.certFile);
    const port = await start('inline', { tls: { ...tls, clientCa: authority.certFile } }, clock);
    writeFileSync(authority.certFile, broken(whole));
    laterMs += 11_000;
    kit.host.publish({});
    // The one before still lets in whom it did.
    const { key, cert } = client;
    const known = () => rawTlsConnection(port, { key, cert });
    expect(await exchange(port, get('/healthz/status'), known)).toMatch(/^HTTP\/1\.1 200 /);
    expect(kit.errors.map(String)).toEqual([expect.stringContaining(authority.certFile)]);
    await kit.host.dispose();
    // Without an authority Node.js takes every public one: all the world would be let in.
    const starting = start('inline', { tls: { ...tls, clientCa: authority.certFile } });
    await expect(starting).rejects.toMatchObject({ code: 'HALE_LISTEN_FAILED' });
    authority.remove();
  });
});

describe('E5: certificates of the probe listener', () => {
  const withTls = (tls: TlsFiles, clock: Clock = systemClock) => {
    const { listener } = probeOptions();
    if (listener === false) throw new Error('the probe listener is off');
    kit = createHostKit('inline', { listener: { ...listener, tls } }, { clock });
    return kit;
  };
  const served = async (port: number): Promise<string> => {
    const { socket } = await rawTlsConnection(port);
    const { fingerprint256 } = (socket as TLSSocket).getPeerCertificate() as PeerCertificate;
    socket.destroy();
    return fingerprint256;
  };

  it('may be given as text', async () => {
    const cert = readFileSync(certificate.certFile, 'utf8');
    const key = readFileSync(certificate.keyFile, 'utf8');
    const port = await withTls({ cert, key }).start();
    expect(await served(port)).toMatch(/^[0-9A-F:]{95}$/);
  });

  it('that cannot be used keep the service from starting, with the name of the option', async () => {
    const missing = withTls({ cert: certificate.certFile, key: '/nowhere/key.pem' });
    await expect(missing.start()).rejects.toMatchObject({
      code: 'HALE_LISTEN_FAILED',
      message: expect.stringMatching(
        /certificate or key cannot be used: ENOENT.*; see probes\.tls$/,
      ),
    });
    const other = createCertificate();
    const mixed = withTls({ cert: certificate.certFile, key: other.keyFile });
    await expect(mixed.start()).rejects.toThrow('certificate or key cannot be used');
    other.remove();
  });

  let laterMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + laterMs };
  const lookAgain = () => {
    laterMs += 11_000;
    kit.host.publish({});
  };

  it('are taken up when they are renewed, and broken ones are not', async () => {
    const [used, renewed] = [createCertificate(), createCertificate()];
    const port = await withTls({ cert: used.certFile, key: used.keyFile }, clock).start();
    const before = await served(port);
    copyFileSync(renewed.keyFile, used.keyFile);
    copyFileSync(renewed.certFile, used.certFile);
    lookAgain();
    const after = await served(port);
    expect(after).not.toBe(before);
    writeFileSync(used.certFile, 'half a certificate');
    lookAgain();
    lookAgain();
    expect(await served(port)).toBe(after);
    expect(kit.errors).toHaveLength(1);
    expect(String(kit.errors[0])).toMatch(/cannot be used, what was in use stays in use: /);
    used.remove();
    renewed.remove();
  });

  it('that were emptied, as by a full disk, are broken ones', async () => {
    const used = createCertificate();
    const port = await withTls({ cert: used.certFile, key: used.keyFile }, clock).start();
    const before = await served(port);
    for (const file of [used.certFile, used.keyFile]) writeFileSync(file, '');
    lookAgain();
    expect(await served(port)).toBe(before);
    expect(kit.errors.map(String)).toEqual([expect.stringContaining(used.certFile)]);
    const empty = withTls({ cert: used.certFile, key: used.keyFile });
    await expect(empty.start()).rejects.toThrow('certificate or key cannot be used');
    used.remove();
  });

  it('whose folder is gone or no folder any more stop nothing else, and are told once', async () => {
    const used = createCertificate();
    const port = await withTls({ cert: used.certFile, key: used.keyFile }, clock).start();
    const before = await served(port);
    const folder = path.dirname(used.certFile);
    renameSync(folder, `${folder}.away`);
    writeFileSync(folder, '');
    expect(lookAgain).not.toThrow();
    lookAgain();
    expect(kit.errors).toHaveLength(1);
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    lookAgain();
    expect(await served(port)).toBe(before);
    expect(kit.errors).toHaveLength(1);
    used.remove();
  });
});
