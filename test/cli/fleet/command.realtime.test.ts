import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fleetCommand } from '../../../src/cli/fleet/command.js';
import { systemClock } from '../../../src/engine/system-clock.js';
import type { LeaseStore } from '../../../src/core/lease-store.js';
import { instanceData } from '../../../src/lease/fleet/instance-data.js';
import { leaseStoreFromUrl } from '../../../src/lease/url/index.js';
import { type HaleCommand, buildHaleCommand } from '../../support/hale-command.js';

const HOME = '\u001B[H\u001B[J';

let hale: HaleCommand;
let folder: string;
let url: string;
let store: LeaseStore;
let child: ChildProcess | undefined;
let output = '';

const call = { clock: systemClock, signal: new AbortController().signal };

beforeAll(async () => {
  hale = await buildHaleCommand();
  folder = mkdtempSync(path.join(tmpdir(), 'hale-fleet-'));
  url = `sqlite:${folder}/leases.db`;
  store = await leaseStoreFromUrl(url);
  const info = { version: '1.4.2', phase: 'running', status: 'fail' } as const;
  const data = instanceData({ ...info, reason: 'check_failed:<b>database</b>' });
  await take('orders/a', { data });
  await take('orders/b');
  await take('billing/a');
});

afterEach(async () => {
  if (child === undefined || child.exitCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
});

afterAll(() => {
  store?.close?.();
  hale?.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function take(name: string, { data = '', ttlMs = 600_000 } = {}): Promise<bigint> {
  const granted = await store.acquire({ name, holder: `${name}#1`, ttlMs, data }, call);
  if (granted.kind !== 'granted') throw new Error(`${name} is taken`);
  return granted.token;
}

/** Starts a command that goes on, and collects what it prints. */
function start(...args: string[]): ChildProcess {
  output = '';
  child = spawn(hale.file, ['fleet', url, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  return child;
}

async function printed(pattern: RegExp): Promise<RegExpExecArray> {
  for (let turn = 0; turn < 400; turn += 1) {
    const found = pattern.exec(output);
    if (found !== null) return found;
    await delay(25);
  }
  throw new Error(`${pattern} was not printed, but:\n${output}`);
}

async function ended(): Promise<unknown> {
  child?.kill('SIGINT');
  const [code] = (await once(child as ChildProcess, 'exit')) as [unknown];
  return code;
}

describe('hale fleet', () => {
  it('H7: shows who keeps a lease below the prefix, and ends with 0', async () => {
    const { exitCode, stdout, stderr } = await hale.run(['fleet', url, '--prefix', 'orders/']);
    expect(stderr.replace(/.*ExperimentalWarning.*\n|.*--trace-warnings.*\n/g, '')).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^! 2 up \(1 not ready\)\n/);
    expect(stdout).toMatch(/✗ up +orders\/a +not ready: check_failed:<b>database<\/b> +1\.4\.2/);
    expect(stdout).not.toContain('billing');
    expect(stdout).not.toContain('\u001B');
  });

  it('H7: ends with 1 when too few are up', async () => {
    const few = await hale.run(['fleet', '--expect', '4'], { HALE_LEASE_URL: url });
    expect([few.exitCode, few.stdout.split('\n')[0]]).toEqual([1, '! 3 up (1 not ready)']);
    const none = await hale.run(['fleet', url, '--prefix', 'nobody/']);
    expect([none.exitCode, none.stdout.split('\n')[0]]).toEqual([1, '? no instances']);
  });

  it('H7: prints a document', async () => {
    const { stdout } = await hale.run(['fleet', url, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ schema: 1, registry: 'settling', total: 3 },
      instances: [{ name: 'billing/a' }, { name: 'orders/a', token: '1' }, { name: 'orders/b' }],
    });
  });

  it('H7: ends with 2 when it cannot look, and tells no password', async () => {
    const away = 'redis://me:secret@127.0.0.1:1';
    const cases: [string[], RegExp][] = [
      [['fleet'], /a URL is needed/],
      [['fleet', 'mongodb://me:secret@h'], /leaseUrl must be a URL that begins with memory:/],
      [['fleet', away, '--timeout', '700'], /no answer of the registry within 700 ms/],
    ];
    for (const [args, text] of cases) {
      const { exitCode, stdout, stderr } = await hale.run(args);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(text);
      expect(stderr).not.toContain('secret');
    }
    expect((await hale.run(['fleet', '--help'])).stdout).toMatch(/^usage: hale fleet/);
  });

  it('H1: writes a line for each event while it watches, and ends with what it saw last', async () => {
    start('--watch', '--prefix', 'orders/');
    await printed(/joined {2}orders\/b/);
    const token = await take('orders/c');
    await printed(/joined {2}orders\/c/);
    await store.release({ name: 'orders/c', holder: 'orders/c#1', token }, call);
    await printed(/left {2}orders\/c/);
    await take('orders/d', { ttlMs: 1500 });
    await printed(/joined {2}orders\/d/);
    // It dies: three of its heartbeats would have come in this time.
    await printed(/suspect {2}orders\/d/);
    expect(output).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}joined/);
    expect(await ended()).toBe(1);
  });

  it('H7: draws anew on a terminal, in colours unless they are not wanted', async () => {
    const drawn = async (env: Record<string, string>) => {
      let text = '';
      let interrupt = (): void => {};
      const interrupted = new Promise<void>((resolve) => (interrupt = resolve));
      // The instance that died above may be held for a moment more.
      const exit = await fleetCommand([url, '--watch', '--prefix', 'orders/a'], env, systemClock, {
        write: (more) => {
          text += more;
          if (text.split(HOME).length > 2) interrupt();
        },
        writeError: (more) => void (text += more),
        ...{ isTerminal: true, columns: 80, interrupted },
      });
      return { exit, pictures: text.split(HOME).slice(1) };
    };
    const coloured = await drawn({});
    expect(coloured.exit).toBe(0);
    expect(coloured.pictures).toHaveLength(2);
    expect(coloured.pictures[0]).toContain('\u001B[33m');
    const plain = await drawn({ NO_COLOR: '1' });
    expect(plain.pictures.join('')).not.toContain('\u001B');
    expect(plain.pictures[0]).toContain('orders/a');
  });

  it('H7: serves a page that stays alive, to this machine only', async () => {
    start('--page', '0', '--prefix', 'orders/');
    const [address = ''] = await printed(/http:\/\/127\.0\.0\.1:\d+\//);
    const page = await fetch(address);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
    const text = await page.text();
    expect(text).toContain('orders/a');
    expect(text).toContain('&lt;b&gt;database');
    for (const [name, type] of [
      ['script.js', 'text/javascript'],
      ['style.css', 'text/css'],
    ])
      expect((await fetch(`${address}${name}`)).headers.get('content-type')).toContain(type);
    expect((await fetch(`${address}other`)).status).toBe(404);
    expect((await fetch(address, { method: 'POST' })).status).toBe(405);
    expect(await statusFor(address, 'attacker.example')).toBe(403);
    const stream = await fetch(`${address}events`);
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    const messages = [await reader.read(), await reader.read()].map(({ value }) =>
      new TextDecoder().decode(value),
    );
    for (const message of messages) {
      const fragment = JSON.parse(message.replace(/^data: /, '')) as { main: string };
      expect(fragment.main).toContain('orders/b');
    }
    await reader.cancel();
    expect(await ended()).toBe(0);
  });
});

/** The status that a request by another name gets. */
function statusFor(address: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(address, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
