import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, get } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { get as getSecurely } from 'node:https';
import { connect as connectSocket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Certificate, createCertificate } from '../support/certificate.js';
import { startFixture } from '../support/fixture.js';
import type { Program } from '../support/program.js';

type Ports = Record<'http' | 'https' | 'http2' | 'secure', number>;

let certificate: Certificate;
const programs = new Set<Program>();
const ends: (() => void)[] = [];

beforeAll(() => {
  certificate = createCertificate();
});
afterAll(() => certificate.remove());
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await Promise.all([...programs].map((program) => program.stop()));
  programs.clear();
});

async function setUp(deadlineMs: number, manner: 'polite' | 'stubborn') {
  const { keyFile, certFile } = certificate;
  const args = [String(deadlineMs), manner, keyFile, certFile];
  const program = startFixture('many-servers', { args });
  programs.add(program);
  const { ports } = (await program.message('ready')) as unknown as { ports: Ports };
  return { program, ports };
}

/** The text of a response, and how it ended. */
function read(response: IncomingMessage): Promise<{ text: string; ended: string }> {
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return new Promise((resolve) => {
    response.on('end', () => resolve({ text, ended: 'end' }));
    response.on('error', (error) => resolve({ text, ended: error.message }));
  });
}

function ask(from: typeof get, url: string, options: object = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    from(url, { agent: false, ...options }, resolve).on('error', reject);
  });
}

function openSession(url: string, options: object = {}) {
  const session: ClientHttp2Session = connect(url, options);
  const goaways: number[] = [];
  session.on('goaway', (code) => goaways.push(code));
  session.on('error', () => {});
  ends.push(() => session.destroy());
  return { session, goaways };
}

function readStream(stream: ClientHttp2Stream): Promise<{ text: string; code: number }> {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  stream.on('error', () => {});
  return new Promise((resolve) => {
    stream.on('close', () => resolve({ text, code: stream.rstCode }));
  });
}

async function openSocket(port: number) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`);
  ends.push(() => socket.terminate());
  await once(socket, 'open');
  const closed = once(socket, 'close').then(([code, reason]) => ({
    code: code as number,
    reason: String(reason),
    at: performance.now(),
  }));
  return { closed };
}

describe('servers of every kind in one drain', () => {
  it('D3: HTTP, HTTPS, HTTP/2, WebSocket and event streams end by themselves, each in its own way; exit code 0', async () => {
    const { program, ports } = await setUp(9000, 'polite');
    const tls = { ca: readFileSync(certificate.certFile) };
    const slow = ask(get, `http://127.0.0.1:${ports.http}/5000`).then(read);
    const secure = ask(getSecurely as typeof get, `https://127.0.0.1:${ports.https}/1500`, tls);
    const fallback = ask(getSecurely as typeof get, `https://127.0.0.1:${ports.secure}/1500`, tls);
    const events = ask(get, `http://127.0.0.1:${ports.http}/events`).then(read);
    const plain = openSession(`http://127.0.0.1:${ports.http2}`);
    const encrypted = openSession(`https://127.0.0.1:${ports.secure}`, tls);
    const streams = [plain, encrypted].map(({ session }) =>
      readStream(session.request({ ':path': '/2000' })),
    );
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(ports.http)));
    program.child.kill('SIGTERM');
    await program.log('drain_begin');
    const late = openSession(`http://127.0.0.1:${ports.http2}`);
    expect(await readStream(late.session.request({ ':path': '/10' }))).toEqual({
      text: 'begun done',
      code: 0,
    });
    expect((await events).text).toMatch(/data: tick\n\ndata: bye\n\n$/);
    expect((await events).ended).toBe('end');
    expect(await Promise.all(streams)).toMatchObject([
      { text: 'begun done', code: 0 },
      { text: 'done', code: 0 },
    ]);
    for (const { goaways } of [plain, encrypted, late])
      expect(new Set(goaways)).toEqual(new Set([0]));
    for (const response of [await secure, await fallback]) {
      expect(response.headers.connection).toBe('close');
      expect((await read(response)).text).toBe('done');
    }
    const closes = await Promise.all(sockets.map(({ closed }) => closed));
    expect(closes.every(({ code, reason }) => code === 1001 && reason === 'going away')).toBe(true);
    const times = closes.map(({ at }) => at);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(500);
    expect(await slow).toEqual({ text: 'done', ended: 'end' });
    expect(await program.exit()).toBe(0);
  });

  it('D2, D6: what does not end is named and cut with the code of its protocol; exit code 1', async () => {
    const { program, ports } = await setUp(3000, 'stubborn');
    const hopeless = ask(get, `http://127.0.0.1:${ports.http}/60000?token=s3cret`).catch(String);
    const events = ask(get, `http://127.0.0.1:${ports.http}/events`).then(read);
    const { session } = openSession(`http://127.0.0.1:${ports.http2}`);
    const stream = readStream(session.request({ ':path': '/60000?token=s3cret' }));
    const deaf = connectSocket(ports.http, '127.0.0.1');
    ends.push(() => deaf.destroy());
    deaf.write(
      'GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await once(deaf, 'data');
    program.child.kill('SIGTERM');
    const started = performance.now();
    const frame = once(deaf, 'data').then(([data]) => (data as Buffer).readUInt16BE(2));
    expect(await events).toMatchObject({ ended: 'aborted' });
    expect(performance.now() - started).toBeLessThan(2000);
    expect(await frame).toBe(1001);
    expect(await program.exit()).toBe(1);
    expect(performance.now() - started).toBeLessThan(3600);
    expect(await hopeless).toContain('socket hang up');
    expect(await stream).toEqual({ text: 'begun ', code: 2 });
    expect(await program.log('stream_cut')).toMatchObject({ limitMs: 700 });
    const cut = program.logs().find(({ ended }) => ended === 'cut');
    expect(cut?.['open']).toEqual([
      expect.stringMatching(/^GET \/60000 for \d\.\d s$/),
      expect.stringMatching(/^GET \/60000 for \d\.\d s$/),
      '1 connection without a request',
      '1 WebSocket connection',
    ]);
    expect(program.stderr()).not.toContain('s3cret');
  });
});
