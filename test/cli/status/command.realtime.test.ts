import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Health, createHealth } from '../../../src/index.js';
import { silentLogger } from '../../../src/core/logger.js';
import { type HaleCommand, buildHaleCommand } from '../../support/hale-command.js';

let hale: HaleCommand;
let health: Health;
let env: Record<string, string>;
let down = false;

beforeAll(async () => {
  hale = await buildHaleCommand();
  health = createHealth({
    ...{ logger: silentLogger, signals: false, version: '1.4.2' },
    probes: { port: 0 },
    diagnostic: { port: 0, token: 'a-token-of-some-length' },
    checks: {
      database: {
        run: () =>
          down ? Promise.reject(new Error('no route to the database')) : Promise.resolve(),
        ...{ intervalMs: 50, failureThreshold: 1, successThreshold: 1 },
      },
    },
  });
  const addresses = await health.start();
  const port = addresses.find(({ kind }) => kind === 'diagnostic')?.port;
  env = { HALE_DIAGNOSTIC_PORT: String(port), HALE_DIAGNOSTIC_TOKEN: 'a-token-of-some-length' };
  await health.untilReady();
});
afterAll(async () => {
  await health.dispose();
  hale.remove();
});

async function becomes(ready: boolean): Promise<void> {
  down = !ready;
  while ((health.report().readiness.status !== 'fail') !== ready)
    await new Promise((resolve) => setTimeout(resolve, 20));
  // Answers come from the probe thread.
  await new Promise((resolve) => setTimeout(resolve, 100));
}

describe('E4: hale status', () => {
  it('tells a healthy process at a glance, without colours in a pipe', async () => {
    await becomes(true);
    const { exitCode, stdout, stderr } = await hale.run(['status'], env);
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^✓ Ready/);
    expect(stdout).toContain('1.4.2');
    expect(stdout).toMatch(/✓ database/);
    expect(stdout).not.toContain('\u001B');
  });

  it('exits with 1 and tells why when readiness fails', async () => {
    await becomes(false);
    const { exitCode, stdout } = await hale.run(['status'], env);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^✗ Not ready/);
    expect(stdout).toContain('no route to the database');
  });

  it('--json prints the document', async () => {
    await becomes(true);
    const { exitCode, stdout } = await hale.run(['status', '--json'], env);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'pass', diagnosis: { schema: 1 } });
  });

  it('--watch draws again as it changes, until it is ended', async () => {
    await becomes(true);
    const child = spawn(hale.file, ['status', '--watch'], {
      ...{ env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const until = async (pattern: RegExp): Promise<void> => {
      while (!pattern.test(text)) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const ended = new Promise((resolve) => child.once('close', resolve));
    await until(/✓ Ready/);
    await becomes(false);
    await until(/✗ Not ready/);
    child.kill('SIGINT');
    expect(await ended).toBe(1);
  });

  it('--watch --json writes one document a line', async () => {
    await becomes(true);
    const child = spawn(hale.file, ['status', '--watch', '--json'], {
      ...{ env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const ended = new Promise((resolve) => child.once('close', resolve));
    await expect.poll(() => text.split('\n').length, { timeout: 20_000 }).toBeGreaterThan(2);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    const documents = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    for (const document of documents)
      expect(document).toMatchObject({ status: 'pass', diagnosis: { schema: 1 } });
  });

  it.each([
    ['a wrong token', [], { HALE_DIAGNOSTIC_TOKEN: 'wrong' }, 'set HALE_DIAGNOSTIC_TOKEN'],
    ['nobody there', ['http://127.0.0.1:1'], {}, 'ECONNREFUSED'],
    ['no URL', ['ftp://x'], {}, 'must be an http or https URL'],
    ['credentials', ['http://a:secret@127.0.0.1'], {}, 'must have no credentials'],
    ['an unknown option', ['--nonsense'], {}, '--nonsense'],
    ['a bad time-out', ['--timeout', '0'], {}, 'from 1 to 600000'],
  ])('%s: exits with 2 and says so', async (_, args, more, problem) => {
    const { exitCode, stdout, stderr } = await hale.run(['status', ...args], { ...env, ...more });
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(problem);
    expect(stderr).not.toContain('secret');
  });

  it.each([
    ['no JSON', 'hello', 'no JSON'],
    ['another document', '{"status":"pass"}', 'without a diagnosis'],
    ['null', 'null', 'without a diagnosis'],
    ['a later schema', '{"status":"pass","diagnosis":{"schema":99}}', 'its schema is 99'],
  ])('an answer with %s is refused with the reason', async (_, body, problem) => {
    const server = createServer((_request, response) => response.end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { exitCode, stderr } = await hale.run(['status', `127.0.0.1:${port}`], env);
    server.close();
    expect(exitCode).toBe(2);
    expect(stderr).toContain(problem);
  });

  it('a server that does not answer costs the time-out', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const args = ['status', `http://127.0.0.1:${port}`, '--timeout', '200'];
    const { exitCode, stderr, ms } = await hale.run(args, env);
    server.closeAllConnections();
    server.close();
    expect(exitCode).toBe(2);
    expect(stderr).toContain('no answer within 200 ms');
    expect(ms).toBeLessThan(3000);
  });
});
