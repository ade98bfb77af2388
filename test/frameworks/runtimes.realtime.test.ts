import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EdgeRuntime } from 'edge-runtime';
import { build } from 'esbuild';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { probe } from '../support/probing.js';
import { eventually } from '../support/program.js';
import { RUNTIMES, type Runtime } from '../support/runtimes.js';

const SERVICE = fileURLToPath(new URL('../fixtures/fetch-service.mjs', import.meta.url));
const PROPAGATION_MS = 400;

let child: ChildProcess | undefined;

afterEach(async () => {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
});

async function start({ command, args }: Runtime, isolation: string, framework = 'hono') {
  const [port, probePort] = [await freePort(), await freePort()];
  const process_ = spawn(command, [...args, SERVICE, String(port), framework], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      HALE_ISOLATION: isolation,
      HALE_HOST: '127.0.0.1',
      HALE_PORT: String(probePort),
      HALE_DIAGNOSTIC_PORT: '0',
      HALE_STALL_AFTER_MS: '1000',
      HALE_PROPAGATION_DELAY_MS: String(PROPAGATION_MS),
      HALE_SHUTDOWN_DEADLINE_MS: '5000',
    },
  });
  child = process_;
  let output = '';
  for (const stream of [process_.stdout, process_.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const answers = (at: number, path: string, status: number) => async () =>
    (await probe(at, path).then(
      (seen) => seen.status,
      () => 0,
    )) === status
      ? true
      : undefined;
  await eventually('app', answers(port, '/orders', 200), 20_000, () => output);
  await eventually('readiness', answers(probePort, '/readyz', 200), 20_000, () => output);
  return { child: process_, port, probePort, output: () => output, answers };
}

async function exitCode(process_: ChildProcess): Promise<number | null> {
  if (process_.exitCode === null) await once(process_, 'exit');
  return process_.exitCode;
}

describe.each(RUNTIMES)('a service on $name', (runtime) => {
  it.each([
    ['hono', 'thread'],
    ['hono', 'inline'],
    ['elysia', 'thread'],
  ])(
    'E5, D1, D6: %s, %s: answers probes before its limiter, counts, drains, exits 0',
    async (framework, isolation) => {
      const started = await start(runtime, isolation, framework);
      const { child: service, port, probePort, output } = started;
      expect((await probe(port, '/limited')).status).toBe(429);
      for (const at of [port, probePort])
        for (const path of ['/livez', '/readyz', '/startupz'])
          expect([at, path, (await probe(at, path)).status]).toEqual([at, path, 200]);
      const { headers } = await probe(port, '/readyz', { headers: { host: '10.0.0.5:3000' } });
      expect(headers['content-type']).toBe('application/health+json');
      const slow = probe(port, '/orders?ms=1200');
      await eventually('request in flight', async () =>
        (await probe(probePort, '/metrics')).text.includes('\nhale_requests_in_flight 1\n')
          ? true
          : undefined,
      );
      service.kill('SIGTERM');
      await eventually('draining', async () =>
        (await probe(probePort, '/readyz')).reason === 'draining' ? true : undefined,
      );
      const late = await probe(port, '/orders', { headers: { connection: 'keep-alive' } });
      expect([late.status, late.headers.connection?.toLowerCase()]).toEqual([200, 'close']);
      expect((await probe(port, '/readyz')).reason).toBe('draining');
      expect((await probe(probePort, '/livez')).status).toBe(200);
      expect(await slow).toMatchObject({ status: 200, text: 'orders' });
      expect([await exitCode(service), output()]).toEqual([
        0,
        expect.not.stringContaining('"level":"error"'),
      ]);
    },
  );

  it('L8: the probe port answers while the loop is blocked, and says why', async () => {
    const { port, probePort } = await start(runtime, 'thread');
    const busy = probe(port, '/busy?ms=2000');
    const seen = await eventually('failure', async () => {
      const livez = await probe(probePort, '/livez');
      return livez.status === 503 ? livez : undefined;
    });
    expect(seen.reason).toBe('event_loop_stalled');
    expect((await busy).text).toBe('done');
    await delay(200);
    expect((await probe(probePort, '/livez')).status).toBe(200);
  });
});

const WORKER = `
  import { Hono } from 'hono';
  import { createHealth } from './src/index.js';
  import { attachHealth } from './src/frameworks/hono.js';
  import { onDemandPreset } from './src/presets/index.js';
  const database = { up: true };
  const health = createHealth({
    ...onDemandPreset,
    checks: { database: { failureThreshold: 1, run() { if (!database.up) throw new Error('down'); } } },
  });
  const app = new Hono();
  app.get('/fail', (context) => { database.up = false; return context.text('failed'); });
  app.use((context) => context.text('slow down', 429));
  attachHealth(app, health);
  addEventListener('fetch', (event) => event.respondWith(app.fetch(event.request)));
`;

describe('a Hono service at the edge', () => {
  it('C6, E5: runs on demand where there is neither a process nor a thread', async () => {
    const { outputFiles } = await build({
      stdin: { contents: WORKER, resolveDir: fileURLToPath(new URL('../..', import.meta.url)) },
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'iife',
      external: ['node:*'],
      logLevel: 'silent',
    });
    const runtime = new EdgeRuntime({ initialCode: outputFiles[0]?.text ?? '' });
    const ask = async (path: string): Promise<string> => {
      const response = await runtime.dispatchFetch(`https://edge.example${path}`);
      return `${response.status} ${await response.text()}`;
    };
    expect(await ask('/readyz')).toBe('200 {"status":"pass","reason":"ok"}');
    expect(await ask('/livez?x=1')).toBe('200 {"status":"pass","reason":"ok"}');
    expect(await ask('/startupz')).toContain('200 {"status":"pass"');
    expect(await ask('/orders')).toBe('429 slow down');
    expect(await ask('/fail')).toBe('200 failed');
    await eventually('failure', async () =>
      (await ask('/readyz')) === '503 {"status":"fail","reason":"check_failed:database"}'
        ? true
        : undefined,
    );
    expect(await ask('/livez')).toContain('200 ');
  });
});
