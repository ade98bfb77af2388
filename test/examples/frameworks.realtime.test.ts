import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from '../contract/framework-kit.js';
import { eventually } from '../support/program.js';

const FOLDER = fileURLToPath(new URL('../../examples/frameworks/', import.meta.url));
const EXAMPLES = readdirSync(FOLDER).filter((file) => file.endsWith('.mjs'));
const KEY = { headers: { 'x-key': 'tea' } };

const running = new Set<ChildProcess>();

afterEach(async () => {
  for (const child of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  running.clear();
});

/** Starts an example as its README says, on free ports. */
async function start(file: string) {
  const child = spawn(process.execPath, [file], {
    cwd: FOLDER,
    stdio: ['ignore', 'pipe', 'pipe'] as const,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      PORT: '0',
      HALE_PORT: '0',
      HALE_DIAGNOSTIC_PORT: '0',
      HALE_PROPAGATION_DELAY_MS: '100',
    },
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const line = await eventually(
    'announcement',
    () =>
      /app http:\/\/127\.0\.0\.1:(\d+) probes http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ??
      undefined,
    20_000,
    () => output,
  );
  return { child, app: Number(line[1]), probes: Number(line[2]), output: () => output };
}

describe('the examples for frameworks', () => {
  it('are there', () => {
    expect(EXAMPLES).toEqual(
      expect.arrayContaining([
        'elysia.mjs',
        'express.mjs',
        'fastify.mjs',
        'hono.mjs',
        'koa.mjs',
        'node-http.mjs',
      ]),
    );
  });

  it.each(EXAMPLES)(
    'E5, D1, D6: %s is probed on both ports, drains on SIGTERM and ends with 0',
    async (file) => {
      const { child, app, probes, output } = await start(file);
      for (const port of [app, probes]) await eventually('200', () => ready(port));
      expect((await ask(app, '/livez')).status).toBe(200);
      expect((await ask(app, '/orders')).status).toBe(401);
      expect(JSON.parse((await ask(app, '/orders', KEY)).text)).toEqual([{ item: 'tea' }]);
      expect((await ask(app, '/nothing', KEY)).status).toBe(404);
      const report = ask(app, '/report', KEY);
      await eventually('request in flight', () => inFlight(probes));
      child.kill('SIGTERM');
      await eventually('draining', () => drains(app));
      expect((await report).text).toBe('{"sold":1}');
      const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
      expect([code, output()]).toEqual([0, expect.not.stringContaining('"level":"error"')]);
    },
  );
});

/** An example may announce itself before its first evaluation. */
async function ready(port: number): Promise<true | undefined> {
  const { status, text } = await ask(port, '/readyz');
  return status === 200 && text === '{"status":"pass","reason":"ok"}' ? true : undefined;
}

async function inFlight(port: number): Promise<true | undefined> {
  const { text } = await ask(port, '/metrics');
  return /^hale_requests_in_flight 1$/m.test(text) ? true : undefined;
}

async function drains(port: number): Promise<true | undefined> {
  const { status, text } = await ask(port, '/readyz');
  return status === 503 && text.includes('"draining"') ? true : undefined;
}
