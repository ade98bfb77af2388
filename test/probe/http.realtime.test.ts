import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probe, probeOptions } from '../support/probing.js';
import { exchange, rawConnection } from '../support/raw-http.js';
import { createHostKit, type HostKit, ISOLATIONS } from './host-kit.js';

const CLOSE = 'Connection: close\r\n';
const NEVER_CACHED = 'Cache-Control: no-cache, no-store, must-revalidate\r\n';

describe.each(ISOLATIONS)('HTTP on the probe port, %s', (isolation) => {
  let kit: HostKit;
  let port: number;

  beforeAll(async () => {
    const { listener } = probeOptions();
    if (listener === false) throw new Error('the probe listener is off');
    kit = createHostKit(isolation, { listener: { ...listener, headersTimeoutMs: 800 } });
    port = await kit.start();
  });
  afterAll(() => kit.host.dispose());

  it('E1 E2: answers the probes with every header', async () => {
    for (const path of ['/livez', '/readyz', '/startupz']) {
      const { status, headers, text } = await probe(port, path);
      expect(status).toBe(200);
      expect(JSON.parse(text)).toMatchObject({ status: 'pass', reason: 'ok' });
      expect(headers).toMatchObject({
        'content-type': 'application/health+json',
        'cache-control': 'no-cache, no-store, must-revalidate',
        'x-service-status': 'ok',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  it('E2: HEAD has the length of GET and no body', async () => {
    const full = await probe(port, '/livez');
    const { status, headers, text } = await probe(port, '/livez', { method: 'HEAD' });
    expect(status).toBe(200);
    expect(text).toBe('');
    expect(headers['content-length']).toBe(String(full.text.length));
  });

  it('E2: other methods are 405, other paths 404', async () => {
    const posted = await probe(port, '/livez', { method: 'POST' });
    expect(posted.status).toBe(405);
    expect(posted.headers['allow']).toBe('GET, HEAD');
    expect((await probe(port, '/nowhere')).status).toBe(404);
  });

  it('E2: HTTP/1.0 without a Host header is answered, and the connection closed', async () => {
    expect(await exchange(port, 'GET /livez HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 OK/);
    const without = await exchange(port, `GET /livez HTTP/1.1\r\n${CLOSE}\r\n`);
    expect(without).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it('E2: pipelined requests are answered in order', async () => {
    const text = await exchange(
      port,
      `GET /livez HTTP/1.1\r\n\r\nHEAD /readyz HTTP/1.1\r\n\r\nGET /nowhere HTTP/1.1\r\n${CLOSE}\r\n`,
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toStrictEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 200',
      'HTTP/1.1 404',
    ]);
  });

  it('E2: Expect is answered at once, without asking for the body', async () => {
    const text = await exchange(
      port,
      'GET /livez HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1\.1 200/);
    const other = await exchange(port, `GET /livez HTTP/1.1\r\nExpect: more\r\n${CLOSE}\r\n`);
    expect(other).toMatch(/^HTTP\/1\.1 417/);
    expect(other).toContain(NEVER_CACHED);
  });

  it('E2: an upgrade is not taken up', async () => {
    const text = await exchange(
      port,
      'GET /livez HTTP/1.1\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1\.1 200/);
  });

  it('E5: an endless body is not read', async () => {
    const connection = await rawConnection(port);
    connection.write('GET /livez HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const feed = setInterval(() => connection.write(chunk), 5);
    const text = await connection.closed(3000).finally(() => clearInterval(feed));
    expect(text).toMatch(/^HTTP\/1\.1 200/);
    expect(connection.socket.bytesWritten).toBeLessThan(5_000_000);
  });

  it.each([
    ['nonsense\r\n\r\n', 400],
    ['GET /livez HTTP/1.1\r\nBad Header: x\r\n\r\n', 400],
    [`GET /livez HTTP/1.1\r\nX: ${'x'.repeat(9000)}\r\n\r\n`, 431],
    [`GET /${'x'.repeat(9000)} HTTP/1.1\r\n\r\n`, 431],
  ])('E2 E5: refuses what is no request, not to be cached either', async (bytes, status) => {
    const text = await exchange(port, bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(text).toContain(NEVER_CACHED);
  });

  it('E5: a header that never ends is cut off in time', async () => {
    const connection = await rawConnection(port);
    connection.write('GET /livez HTTP/1.1\r\nX-Slow: ');
    const feed = setInterval(() => connection.write('x'), 50);
    const text = await connection.closed(4000).finally(() => clearInterval(feed));
    expect(text).toMatch(/^HTTP\/1\.1 408/);
  });

  it('E5: a connection that says nothing is closed in time', async () => {
    const connection = await rawConnection(port);
    await connection.closed(4000);
    expect(connection.socket.destroyed).toBe(true);
  });

  it('E5: a keep-alive connection serves probe after probe', async () => {
    const connection = await rawConnection(port);
    for (let count = 1; count <= 3; count += 1) {
      connection.write('GET /livez HTTP/1.1\r\n\r\n');
      await delay(1000);
      expect(connection.text().match(/HTTP\/1\.1 200/g)).toHaveLength(count);
    }
    connection.end();
  });

  it('E5: nothing of all this is an error of hale', () => expect(kit.errors).toStrictEqual([]));
});
