import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { type RequestListener, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, type Server, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificate } from '../../support/certificate.js';
import { type HaleCommand, buildHaleCommand } from '../../support/hale-command.js';
import { createHostKit } from '../../probe/host-kit.js';

let hale: HaleCommand;
beforeAll(async () => {
  hale = await buildHaleCommand();
});
afterAll(() => hale.remove());

async function open(server: Server, at: string | { host: string } = { host: '127.0.0.1' }) {
  await new Promise<void>((resolve) => {
    if (typeof at === 'string') server.listen(at, resolve);
    else server.listen({ port: 0, ...at }, resolve);
  });
  const port = typeof at === 'string' ? 0 : (server.address() as AddressInfo).port;
  return { port, [Symbol.dispose]: () => void server.close() };
}

const answering: RequestListener = ({ url, headers }, response) => {
  if (url === '/moved') response.writeHead(301, { Location: '/elsewhere' });
  response.end(JSON.stringify({ status: 'pass', reason: `seen:${url} at ${headers.host}` }));
};

describe('E6: hale probe against hale', () => {
  it('tells readiness, liveness and the reason', async () => {
    const kit = createHostKit('thread');
    try {
      const port = await kit.start();
      const env = { HALE_PORT: String(port) };
      expect(await hale.run(['probe'], env)).toMatchObject({
        exitCode: 0,
        stdout: 'pass ok\n',
        stderr: '',
      });
      kit.host.board.setPhase('draining');
      expect(await hale.run(['probe'], env)).toMatchObject({
        exitCode: 1,
        stdout: 'fail draining\n',
      });
      expect(await hale.run(['probe', `127.0.0.1:${port}`])).toMatchObject({ exitCode: 1 });
      const livez = await hale.run(['probe', `http://127.0.0.1:${port}/livez`]);
      expect(livez).toMatchObject({ exitCode: 0, stdout: 'pass ok\n' });
    } finally {
      await kit.host.dispose();
    }
  });
});

describe('E6: hale probe over gRPC', () => {
  it('tells what hale says of the server and of a service', async () => {
    const kit = createHostKit('thread', { grpc: { host: '127.0.0.1', port: 0 } });
    try {
      await kit.start();
      const url = `grpc://127.0.0.1:${kit.port('grpc')}`;
      const run = (target: string) => hale.run(['probe', target]);
      expect(await run(url)).toMatchObject({ exitCode: 0, stdout: 'pass SERVING\n' });
      expect(await run(`${url}/nothing`)).toMatchObject({
        exitCode: 1,
        stdout: 'fail gRPC status 5: unknown service "nothing"\n',
      });
      kit.host.board.setPhase('draining');
      expect(await run(url)).toMatchObject({ exitCode: 1, stdout: 'fail NOT_SERVING\n' });
      expect(await run(`${url}/liveness`)).toMatchObject({ exitCode: 0 });
      await kit.host.dispose();
      const gone = await run(url);
      expect(gone).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('ECONNREFUSED') });
    } finally {
      await kit.host.dispose();
    }
  });

  it('fails when what answers does not speak gRPC', async () => {
    using server = await open(createServer(answering));
    const { exitCode, stdout } = await hale.run(['probe', `grpc://127.0.0.1:${server.port}`]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: expect.stringMatching(/^fail /) });
  });
});

describe('E6: hale probe against other servers', () => {
  it('speaks IPv6 and follows no redirect', async () => {
    using server = await open(createServer(answering), { host: '::1' });
    const authority = `[::1]:${server.port}`;
    expect(await hale.run(['probe', authority])).toMatchObject({
      exitCode: 0,
      stdout: `pass seen:/readyz at ${authority}\n`,
    });
    expect(await hale.run(['probe', `http://${authority}/moved`])).toMatchObject({
      exitCode: 1,
      stdout: 'fail HTTP 301: redirects to /elsewhere, which is not followed\n',
    });
  });

  it('speaks over a Unix socket', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'hale-unix-'));
    const socket = path.join(folder, 'app.sock');
    using _server = await open(createServer(answering), socket);
    const passed = await hale.run(['probe', '--unix', socket, '/livez']);
    expect(passed).toMatchObject({ exitCode: 0, stdout: 'pass seen:/livez at localhost\n' });
    const missing = await hale.run(['probe', '--unix', path.join(folder, 'gone.sock')]);
    expect(missing).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('ENOENT') });
    rmSync(folder, { recursive: true });
  });

  it('looks at a file that hale keeps', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'hale-file-'));
    const file = path.join(folder, 'ready');
    const kit = createHostKit('thread', { files: { readiness: file } });
    const url = `file://${file}`;
    try {
      expect(await hale.run(['probe', url])).toMatchObject({
        exitCode: 1,
        stdout: `fail ${file} does not exist\n`,
      });
      await kit.start();
      expect(await hale.run(['probe', url])).toMatchObject({ exitCode: 0, stdout: 'pass ok\n' });
      await kit.host.dispose();
      writeFileSync(file, 'what a process left that was killed');
      expect(await hale.run(['probe', url])).toMatchObject({
        exitCode: 0,
        stdout: 'pass the file exists\n',
      });
      const old = Date.now() / 1000 - 61;
      utimesSync(file, old, old);
      expect(await hale.run(['probe', url])).toMatchObject({
        exitCode: 1,
        stdout: expect.stringMatching(/ has not changed for 6\d s\n$/),
      });
    } finally {
      await kit.host.dispose();
      rmSync(folder, { recursive: true });
    }
  });

  it('is neither held nor fooled by what is no file', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'hale-file-'));
    const [fifo, ahead] = [path.join(folder, 'fifo'), path.join(folder, 'ahead')];
    execFileSync('mkfifo', [fifo]);
    writeFileSync(ahead, '{"status":"pass","reason":"ok"}');
    // As left by a process that ended before the clock was put back.
    const later = Date.now() / 1000 + 3600;
    utimesSync(ahead, later, later);
    const say = async (file: string) => {
      const { exitCode, stdout } = await hale.run(['probe', `file://${file}`]);
      return { exitCode, said: stdout.replace(`${file} `, '') };
    };
    for (const file of [fifo, folder, '/dev/zero'])
      expect(await say(file)).toEqual({ exitCode: 1, said: 'fail is not a file\n' });
    expect(await say(ahead)).toEqual({
      exitCode: 1,
      said: expect.stringMatching(/^fail has a time that is \d+ s ahead\n$/),
    });
    rmSync(folder, { recursive: true });
  });

  it('checks certificates unless told not to', async () => {
    const certificate = createCertificate();
    const key = readFileSync(certificate.keyFile);
    const cert = readFileSync(certificate.certFile);
    using server = await open(createTlsServer({ key, cert }, answering));
    const url = `https://127.0.0.1:${server.port}/livez`;
    const refused = await hale.run(['probe', url]);
    expect(refused).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('--insecure') });
    expect(await hale.run(['probe', '--insecure', url])).toMatchObject({ exitCode: 0 });
    const trusting = { NODE_EXTRA_CA_CERTS: certificate.certFile };
    expect(await hale.run(['probe', url], trusting)).toMatchObject({ exitCode: 0 });
    certificate.remove();
  });

  it('connects only, with tcp', async () => {
    using server = await open(createTcpServer((socket) => socket.on('error', () => {})));
    const url = `tcp://127.0.0.1:${server.port}`;
    expect(await hale.run(['probe', url])).toMatchObject({
      exitCode: 0,
      stdout: 'pass connected\n',
    });
    server[Symbol.dispose]();
    expect(await hale.run(['probe', url])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^fail cannot ask 127\.0\.0\.1:\d+: .*ECONNREFUSED/),
    });
  });

  it('fails within its timeout when nobody answers, and on a reset', async () => {
    using silent = await open(createTcpServer((socket) => socket.on('error', () => {})));
    const late = await hale.run(['probe', `127.0.0.1:${silent.port}`, '--timeout', '300']);
    const stdout = `fail no answer within 300 ms from 127.0.0.1:${silent.port}\n`;
    expect(late).toMatchObject({ exitCode: 1, stdout });
    expect(late.ms).toBeLessThan(2000);
    const drip: RequestListener = (_, response) => {
      const timer = setInterval(() => response.write('x'), 50);
      response.once('close', () => clearInterval(timer));
    };
    using dripping = await open(createServer(drip));
    const slow = await hale.run(['probe', `127.0.0.1:${dripping.port}`, '--timeout', '300']);
    expect(slow).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('within 300 ms') });
    using resetting = await open(createTcpServer((socket) => socket.resetAndDestroy()));
    const reset = await hale.run(['probe', `127.0.0.1:${resetting.port}`]);
    expect(reset).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('ECONNRESET') });
  });

  it('ends with 2 and the usage when it is not understood', async () => {
    for (const args of [[], ['nonsense'], ['probe', '--nonsense'], ['probe', 'ftp://a']]) {
      const { exitCode, stdout, stderr } = await hale.run(args);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain(args[0] === 'probe' ? 'usage: hale probe' : 'usage: hale <command>');
    }
    expect(await hale.run(['probe', '--help'])).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
