import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Certificate, createCertificate } from '../support/certificate.js';
import { probeOptions } from '../support/probing.js';
import { exchange, rawConnection, rawTlsConnection } from '../support/raw-http.js';
import { type HostKit, createHostKit } from './host-kit.js';

const CLOSE = 'Connection: close\r\n';
const TRANSPORTS = [
  ['thread', 'HTTP'],
  ['inline', 'HTTP'],
  ['thread', 'HTTPS'],
  ['inline', 'HTTPS'],
] as const;

describe.each(TRANSPORTS)('E2: the edges of HTTP (%s, %s)', (isolation, scheme) => {
  const open = scheme === 'HTTPS' ? rawTlsConnection : rawConnection;
  let certificate: Certificate;
  let kit: HostKit;
  let port: number;

  beforeAll(async () => {
    certificate = createCertificate();
    const { listener } = probeOptions();
    if (listener === false) throw new Error('the probe listener is off');
    const tls = { cert: certificate.certFile, key: certificate.keyFile };
    const served = scheme === 'HTTPS' ? { ...listener, tls } : listener;
    kit = createHostKit(isolation, { listener: { ...served, headersTimeoutMs: 800 } });
    port = await kit.start();
  });
  afterAll(async () => {
    await kit?.host.dispose();
    certificate?.remove();
  });

  const ask = (head: string) => exchange(port, `${head}\r\n${CLOSE}\r\n`, open);
  const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]);

  it.each([
    ['a path', 'GET /livez HTTP/1.1\r\nHost: a', 200],
    ['HEAD', 'HEAD /livez HTTP/1.1\r\nHost: a', 200],
    ['HTTP/1.0', 'GET /livez HTTP/1.0', 200],
    ['no Host', 'GET /livez HTTP/1.1', 200],
    ['a strange Host', 'GET /livez HTTP/1.1\r\nHost: 10.0.0.5:3000', 200],
    ['the absolute form', 'GET http://10.0.0.5:9400/livez HTTP/1.1\r\nHost: a', 200],
    ['the absolute form over TLS', 'GET https://a/livez HTTP/1.1\r\nHost: a', 200],
    ['the absolute form of no path', 'GET http://a HTTP/1.1\r\nHost: a', 404],
    ['a query', 'GET /livez?a=/nowhere&verbose HTTP/1.1\r\nHost: a', 200],
    ['an empty query', 'GET /livez? HTTP/1.1\r\nHost: a', 200],
    ['a fragment', 'GET /livez#a HTTP/1.1\r\nHost: a', 200],
    ['percent-encoding', 'GET /%6civez HTTP/1.1\r\nHost: a', 404],
    ['an encoded slash', 'GET /%2Flivez HTTP/1.1\r\nHost: a', 404],
    ['a trailing slash', 'GET /livez/ HTTP/1.1\r\nHost: a', 404],
    ['two slashes', 'GET //livez HTTP/1.1\r\nHost: a', 404],
    ['dots', 'GET /x/../livez HTTP/1.1\r\nHost: a', 404],
    ['capitals', 'GET /LIVEZ HTTP/1.1\r\nHost: a', 404],
    ['the asterisk form', 'OPTIONS * HTTP/1.1\r\nHost: a', 404],
    ['another method', 'DELETE /livez HTTP/1.1\r\nHost: a', 405],
    ['another expectation', 'GET /livez HTTP/1.1\r\nHost: a\r\nExpect: more', 417],
    ['an upgrade', 'GET /livez HTTP/1.1\r\nHost: a\r\nUpgrade: h2c', 200],
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.2', 400],
    ['two lengths', 'GET /livez HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2', 400],
    [
      'a smuggled length',
      'GET /livez HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked',
      400,
    ],
  ])('answers %s', async (_, head, status) => {
    const text = await ask(head);
    expect(statusOf(text)).toBe(status);
    expect(text).toContain('Cache-Control: no-cache, no-store, must-revalidate\r\n');
    expect(text).not.toMatch(/\r\nLocation:/i);
  });

  it('never switches protocols or asks for a body', async () => {
    const expecting = 'POST /livez HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n';
    const text = await exchange(port, expecting, open);
    expect(statusOf(text)).toBe(405);
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  it('keeps a connection of HTTP/1.1, answers pipelined requests in order, and closes one of HTTP/1.0', async () => {
    const connection = await open(port);
    const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    connection.write(request('/livez') + request('/nowhere') + request('/readyz', CLOSE));
    const text = await connection.closed();
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
    const old = await exchange(port, 'GET /livez HTTP/1.0\r\n\r\n', open);
    expect(old).toMatch(/\r\nConnection: close\r\n/i);
  });

  it('closes a connection that does not say what it wants, also below TLS', async () => {
    const silent = await rawConnection(port);
    await silent.closed(4000);
    expect(silent.socket.destroyed).toBe(true);
  });

  it('has no error of its own in all this', () => expect(kit.errors).toEqual([]));
});

describe('E2: the end of the listener', () => {
  it.each(TRANSPORTS)('waits for no client that never asks (%s, %s)', async (isolation, scheme) => {
    const certificate = createCertificate();
    const { listener } = probeOptions();
    if (listener === false) throw new Error('the probe listener is off');
    const tls = { cert: certificate.certFile, key: certificate.keyFile };
    const kit = createHostKit(isolation, {
      listener: scheme === 'HTTPS' ? { ...listener, tls } : listener,
    });
    const port = await kit.start();
    const [silent, half] = [await rawConnection(port), await rawConnection(port)];
    // The first bytes of a request, and of a handshake.
    half.write(scheme === 'HTTPS' ? Buffer.from([22, 3, 1, 2, 0]) : 'GET /live');
    const start = performance.now();
    await kit.host.dispose();
    expect(performance.now() - start).toBeLessThan(2000);
    await Promise.all([silent.closed(), half.closed()]);
    certificate.remove();
  });
});
