import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import {
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  connect,
  createSecureServer,
  createServer as createHttp2Server,
} from 'node:http2';
import { createServer as createHttpsServer, request as httpsRequest } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import { silentLogger } from '../../src/core/logger.js';
import { type NodeServer, attachHealth } from '../../src/frameworks/node-http.js';
import type { Health } from '../../src/health.js';
import { ask } from '../contract/framework-kit.js';
import { createCertificate } from '../support/certificate.js';
import { eventually } from '../support/program.js';
import { exchange, rawConnection } from '../support/raw-http.js';

const files = createCertificate();
const certificate = { key: readFileSync(files.keyFile), cert: readFileSync(files.certFile) };
files.remove();

const ending: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

function newHealth(): Health {
  const health = createHealth({
    probes: false,
    diagnostic: false,
    signals: false,
    env: {},
    logger: silentLogger,
    shutdown: { propagationDelayMs: 50, deadlineMs: 2000 },
  });
  ending.push(() => health.dispose());
  return health;
}

async function listen(server: NodeServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ending.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function attached(server: NodeServer): Promise<{ health: Health; port: number }> {
  const health = newHealth();
  attachHealth(server, health);
  const port = await listen(server);
  await health.start();
  await health.untilReady();
  return { health, port };
}

/** The user's own answer; it reads the body first, as a body parser does. */
const application: Parameters<typeof createServer>[1] & object = (request, response) => {
  request.resume().on('end', () => response.end('user'));
};

function stream(
  session: ClientHttp2Session,
  path: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = session.request({ ':path': path });
    let status = 0;
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('response', (headers) => (status = headers[':status'] ?? 0));
    request.on('end', () => resolve({ status, text }));
    request.on('error', reject);
  });
}

/** The headers of one answer over HTTP/2. */
async function head(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string) {
  const request = session.request(headers, { endStream: body === undefined });
  const answered = once(request, 'response');
  const closed = once(request.resume(), 'close');
  if (body !== undefined) request.end(body);
  const [seen] = await answered;
  await closed;
  return seen as IncomingHttpHeaders;
}

function statusOverTls(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, ca: certificate.cert, agent: false };
    httpsRequest(options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end();
  });
}

describe('probes on the port of a server', () => {
  it('E2: HTTP/1.0, pipelining, an expectation and a body that never comes', async () => {
    const { port } = await attached(createServer(application));
    expect(await exchange(port, 'GET /livez HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
    const pipelined = await exchange(
      port,
      'GET /livez HTTP/1.1\r\nHost: a\r\n\r\nGET /orders HTTP/1.1\r\nHost: a\r\n\r\n' +
        'GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    expect(pipelined.match(/HTTP\/1\.1 200 /g)).toHaveLength(3);
    expect(pipelined.indexOf('"status":"pass"')).toBeLessThan(pipelined.indexOf('user'));
    const expecting = await exchange(
      port,
      'POST /livez HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\nConnection: close\r\n\r\n',
    );
    expect(expecting).toContain('HTTP/1.1 405 ');
    expect(expecting).toContain('Allow: GET, HEAD');
  });

  it('E5: an expectation is answered before a listener of the application for it', async () => {
    const server = createServer(application);
    server.on('checkContinue', (_request, response) => response.writeHead(418).end());
    const { port } = await attached(server);
    const head =
      'Host: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx';
    expect(await exchange(port, `GET /livez HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchange(port, `POST /orders HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1\.1 418 /);
  });

  it('E5: a client that offers an upgrade gets its answer, whoever listens for upgrades', async () => {
    const server = createServer(application);
    const upgraded: unknown[] = [];
    server.on('upgrade', ({ url }, socket) => {
      upgraded.push(url);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    const { health, port } = await attached(server);
    const offer = (target: string) =>
      exchange(
        port,
        `${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
      );
    const answer = await offer('GET /readyz');
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(
      /\r\nConnection: close(?:\r\n[^]*)?\r\n\r\n\{"status":"pass","reason":"ok"\}$/,
    );
    expect(await offer('HEAD /livez')).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/);
    expect(await offer('POST /livez')).toMatch(/^HTTP\/1\.1 405 /);
    expect(upgraded).toEqual([]);
    expect(await offer('GET /chat')).toMatch(/^HTTP\/1\.1 400 /);
    expect(upgraded).toEqual(['/chat']);
    const drained = health.shutdown('test');
    expect(await offer('GET /readyz')).toMatch(/^HTTP\/1\.1 503 /);
    expect(await drained).toMatchObject({ exitCode: 0 });
  });

  it('E5: an offer of an upgrade behind a request that is not answered yet harms nobody', async () => {
    let release = (): void => {};
    const server = createServer((_request, response) => {
      release = () => response.end('slow');
    });
    const upgraded: unknown[] = [];
    server.on('upgrade', ({ url }) => {
      upgraded.push(url);
      release();
    });
    const { port } = await attached(server);
    const offer = 'Host: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    const connection = await rawConnection(port);
    connection.write(`GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\n${offer}`);
    await eventually('an answer', () => (connection.text().includes('slow') ? true : undefined));
    connection.end();
    expect(upgraded).toEqual(['/livez']);
    expect(await exchange(port, `GET /livez HTTP/1.1\r\n${offer}`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('E5: over TLS', async () => {
    const { port } = await attached(createHttpsServer(certificate, application));
    expect(await statusOverTls(port, '/readyz')).toBe(200);
  });

  it.each([
    [
      'h2c',
      () =>
        createHttp2Server(
          (request, response) => void request.resume().on('end', () => response.end('user')),
        ),
    ],
    [
      'h2c by streams',
      () =>
        createHttp2Server().on('stream', (incoming) => {
          incoming.resume().on('end', () => {
            incoming.respond();
            incoming.end('user');
          });
        }),
    ],
    [
      'h2',
      () =>
        createSecureServer(certificate, (request, response) => {
          request.resume().on('end', () => response.end('user'));
        }),
    ],
  ] as const)('E5, D3: over HTTP/2 (%s), also while it drains', async (kind, make) => {
    const { health, port } = await attached(make());
    const open = () => {
      const url = `${kind === 'h2' ? 'https' : 'http'}://127.0.0.1:${port}`;
      const session = connect(url, { ca: certificate.cert });
      ending.push(() => session.destroy());
      return session;
    };
    const session = open();
    expect(await stream(session, '/readyz')).toEqual({
      status: 200,
      text: '{"status":"pass","reason":"ok"}',
    });
    expect(await stream(session, '/orders')).toEqual({ status: 200, text: 'user' });
    const drained = health.shutdown('test');
    // The old session has been told to take no new stream.
    expect(await stream(open(), '/readyz')).toEqual({
      status: 503,
      text: '{"status":"fail","reason":"draining"}',
    });
    expect(await drained).toMatchObject({ exitCode: 0 });
  });

  it('E2, O1: over HTTP/2, HEAD and other methods as over HTTP/1, and none is counted in flight', async () => {
    const server = createHttp2Server((_request, response) => response.end('user'));
    const { health, port } = await attached(server);
    const counts: number[] = [];
    server.on('stream', () => counts.push(health.report().inFlight));
    const session = connect(`http://127.0.0.1:${port}`);
    ending.push(() => session.destroy());
    const seen = await head(session, { ':path': '/readyz', ':method': 'HEAD' });
    expect(seen).toMatchObject({
      ':status': 200,
      'content-length': '31',
      'x-service-status': 'ok',
    });
    const refused = await head(session, { ':path': '/readyz', ':method': 'POST' }, 'x'.repeat(1e5));
    expect(refused).toMatchObject({ ':status': 405, allow: 'GET, HEAD' });
    expect(counts).toEqual([]);
    expect(await stream(session, '/orders')).toEqual({ status: 200, text: 'user' });
    expect(counts).toEqual([1]);
  });

  it('E5: over HTTP/1 on an HTTP/2 server that allows it', async () => {
    const { port } = await attached(
      createSecureServer({ ...certificate, allowHTTP1: true }, (_request, response) =>
        response.end('user'),
      ),
    );
    expect(await statusOverTls(port, '/readyz')).toBe(200);
  });

  it('S4: is answered before start(), and in whichever phase', async () => {
    const health = newHealth();
    const server = createServer(application);
    attachHealth(server, health, { drains: false });
    const port = await listen(server);
    const answers = () =>
      Promise.all(
        ['/livez', '/readyz', '/startupz'].map(async (path) => {
          const { status, text } = await ask(port, path);
          return [status, (JSON.parse(text) as { reason: string }).reason];
        }),
      );
    const starting = [
      [200, 'ok'],
      [503, 'starting'],
      [503, 'starting'],
    ];
    expect(await answers()).toEqual(starting);
    await health.start();
    await health.untilReady();
    expect(await answers()).toEqual([
      [200, 'ok'],
      [200, 'ok'],
      [200, 'ok'],
    ]);
    await health.shutdown('test');
    const stopped = [
      [200, 'ok'],
      [503, 'stopped'],
      [200, 'ok'],
    ];
    expect(await answers()).toEqual(stopped);
    await health.dispose();
    expect(await answers()).toEqual(stopped);
  });

  it('D1: two healths answer on one server, each below its path, and drain apart', async () => {
    const [one, other] = [newHealth(), newHealth()];
    const server = createServer(application);
    const takeOut = attachHealth(server, one, { basePath: '/one' });
    attachHealth(server, other, { basePath: '/other', drains: false });
    const port = await listen(server);
    for (const health of [one, other]) {
      await health.start();
      await health.untilReady();
    }
    const drained = one.shutdown('test');
    expect((await ask(port, '/one/readyz')).status).toBe(503);
    expect((await ask(port, '/other/readyz')).status).toBe(200);
    expect(await drained).toMatchObject({ exitCode: 0 });
    takeOut();
    const again = await listen(server);
    expect((await ask(again, '/one/readyz')).text).toBe('user');
    expect((await ask(again, '/other/readyz')).status).toBe(200);
  });
});
