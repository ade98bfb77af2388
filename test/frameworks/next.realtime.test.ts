import { Agent, request } from 'node:http';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { type NextApp, buildNextApp } from '../support/next-app.js';
import { probe } from '../support/probing.js';
import { type Program, eventually, startProgram } from '../support/program.js';

/** Much longer than the load goes on after the signal, as a load balancer is told in time. */
const PROPAGATION_MS = 1800;
/** The build takes 15 s of two processors, which may be busy. */
const BUILD_WITHIN_MS = 240_000;

let app: NextApp;
/** The standalone build, moved away from everything it could find by accident. */
let standalone: string;
let program: Program | undefined;

beforeAll(async () => {
  app = await buildNextApp();
  standalone = path.join(mkdtempSync(path.join(tmpdir(), 'hale-next-')), 'app');
  cpSync(path.join(app.folder, '.next/standalone'), standalone, { recursive: true });
}, BUILD_WITHIN_MS);
afterAll(() => {
  app?.remove();
  if (standalone !== undefined) rmSync(path.dirname(standalone), { recursive: true, force: true });
});
afterEach(() => program?.stop());

interface Way {
  readonly file: () => string;
  readonly args?: () => string[];
  readonly execArgv?: () => string[];
  readonly env?: Record<string, string>;
}

const PRELOADED: Way = {
  file: () => path.join(standalone, 'server.js'),
  execArgv: () => ['--import', pathToFileURL(path.join(standalone, 'preload.mjs')).href],
};
const INSTRUMENTED: Way = {
  file: () => path.join(standalone, 'server.js'),
  env: { NEXT_MANUAL_SIG_HANDLE: 'true' },
};
/** `next start` is the same server with another entry; it takes `HOSTNAME` for the name of the machine. */
const STARTED: Way = {
  file: () => path.join(app.folder, 'node_modules/next/dist/bin/next'),
  args: () => ['start', app.folder, '--hostname', '127.0.0.1'],
  execArgv: () => ['--import', pathToFileURL(path.join(app.folder, 'preload.mjs')).href],
};
const CUSTOM: Way = { file: () => path.join(app.folder, 'server.mjs') };

async function start({ file, args, execArgv, env }: Way) {
  const [port, probePort] = [await freePort(), await freePort()];
  program = startProgram(file(), {
    args: args?.() ?? [],
    execArgv: execArgv?.() ?? [],
    env: {
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      HOSTNAME: '127.0.0.1',
      PORT: String(port),
      HALE_HOST: '127.0.0.1',
      HALE_PORT: String(probePort),
      HALE_DIAGNOSTIC_PORT: '0',
      HALE_PROPAGATION_DELAY_MS: String(PROPAGATION_MS),
      HALE_SHUTDOWN_DEADLINE_MS: '12000',
      ...env,
    },
  });
  const { stderr } = program;
  await eventually('ready', () => isReady(probePort), 20_000, stderr);
  await eventually('page', () => answers(port), 20_000, stderr);
  return { program, port, probePort };
}

describe('Next.js, the real package', () => {
  it.each([
    ['standalone with --import', PRELOADED],
    ['standalone with instrumentation.js', INSTRUMENTED],
    ['next start with --import', STARTED],
    ['a custom server', CUSTOM],
  ])(
    'E5, D1, D6: %s answers probes on its own port, too, drains without losing a request and exits 0',
    async (_name, way) => {
      const { program: server, port, probePort } = await start(way);
      await answersProbes(port);
      const slow = probe(port, '/orders?ms=3000');
      slow.catch(() => {});
      const load = startLoad(port);
      await delay(300);
      server.child.kill('SIGTERM');
      await server.log('drain_begin');
      const before = load.answered();
      expect((await probe(probePort, '/readyz')).reason).toBe('draining');
      expect((await probe(probePort, '/livez')).status).toBe(200);
      await delay(300);
      expect(await load.stop()).toEqual([]);
      expect(load.answered()).toBeGreaterThan(before);
      await eventually('refusal', () => answers(port).then((up) => (up ? undefined : true)));
      expect((await probe(probePort, '/readyz')).reason).toBe('draining');
      expect(await slow).toMatchObject({ status: 200, text: '{"orders":[]}' });
      expect(await server.exit()).toBe(0);
      const events = server.logs().map(({ event }) => event);
      expect(events).not.toContain('other_signal_listeners');
      expect(events).not.toContain('exit_during_drain');
    },
  );

  it('D2: without NEXT_MANUAL_SIG_HANDLE an instrumented server ends in the middle, and the log says so', async () => {
    const { program: server, port } = await start({ ...INSTRUMENTED, env: {} });
    expect((await probe(port, '/orders')).status).toBe(200);
    server.child.kill('SIGTERM');
    expect(await server.log('other_signal_listeners')).toMatchObject({ others: 1 });
    expect(await server.exit()).toBe(143);
    expect(await server.log('exit_during_drain')).toMatchObject({ level: 'error', code: 143 });
  });
});

async function answersProbes(port: number): Promise<void> {
  const seen = await probe(port, '/readyz', { headers: { host: '10.0.0.5:3000' } });
  expect([seen.status, seen.headers['content-type']]).toEqual([200, 'application/health+json']);
  expect((await probe(port, '/livez', { method: 'POST' })).status).toBe(405);
  expect((await probe(port, '/nothing')).headers['content-type']).toContain('text/html');
}

async function isReady(port: number): Promise<true | undefined> {
  const status = await probe(port, '/readyz').then(
    (seen) => seen.status,
    () => 0,
  );
  return status === 200 ? true : undefined;
}

async function answers(port: number): Promise<true | undefined> {
  return probe(port, '/').then(
    ({ status }) => (status === 200 ? true : undefined),
    () => undefined,
  );
}

/** Sends GET and POST in turn over kept-alive connections; `stop` tells what went wrong. */
function startLoad(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const open = new Set<Promise<void>>();
  const failures: string[] = [];
  let answered = 0;
  let sent = 0;
  const sendOne = (): void => {
    sent += 1;
    const done = send(agent, port, sent % 2 === 0 ? 'GET' : 'POST').then(
      () => void (answered += 1),
      (error: unknown) => void failures.push(String(error)),
    );
    open.add(done);
  };
  const timer = setInterval(sendOne, 20);
  return {
    answered: () => answered,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      agent.destroy();
      return failures;
    },
  };
}

function send(agent: Agent, port: number, method: 'GET' | 'POST'): Promise<void> {
  const expected = method === 'GET' ? '200 {"orders":[]}' : '201 {"item":"tea"}';
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path: '/orders', method, agent });
    call.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', reject).on('end', () => {
        const got = `${response.statusCode} ${text}`;
        if (got === expected) resolve();
        else reject(new Error(`${method}: ${got}`));
      });
    });
    call.end(method === 'POST' ? '{"item":"tea"}' : undefined);
  });
}
