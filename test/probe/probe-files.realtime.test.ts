import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Program, bundleProgram, eventually, startProgram } from '../support/program.js';
import { ISOLATIONS } from './host-kit.js';

let bundle: Awaited<ReturnType<typeof bundleProgram>>;
let folder: string;
let program: Program | undefined;

beforeAll(async () => {
  bundle = await bundleProgram('told-service');
});
afterAll(() => bundle?.remove());
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hale-files-'));
});
afterEach(async () => {
  await program?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const start = (env: Record<string, string> = {}) =>
  (program = startProgram(bundle.file, { env: { FOLDER: folder, ...env } }));
const file = (name: string) => path.join(folder, name);
const appears = (name: string) =>
  eventually(`file ${name}`, () => (existsSync(file(name)) ? true : undefined));
const goes = (name: string) =>
  eventually(`end of file ${name}`, () => (existsSync(file(name)) ? undefined : true));

describe.each(ISOLATIONS)('E6: files for exec probes (%s)', (isolation) => {
  const ISOLATION = { ISOLATION: isolation };

  it('D1, L6: the drain takes readiness back at once, and liveness at the end', async () => {
    const running = start({ ...ISOLATION, START_MS: '300' });
    await appears('live');
    expect(existsSync(file('ready'))).toBe(false);
    await appears('ready');
    const said = JSON.parse(readFileSync(file('ready'), 'utf8')) as unknown;
    expect(said).toEqual({ status: 'pass', reason: 'ok', pid: running.pid });
    running.child.kill('SIGTERM');
    await goes('ready');
    // Still within the propagation delay.
    expect(existsSync(file('live'))).toBe(true);
    expect(await running.exit()).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('go with a process that exits without a drain', async () => {
    const running = start({ ...ISOLATION, EXIT_AFTER_MS: '600' });
    await appears('ready');
    expect(await running.exit()).toBe(3);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('E6: files for exec probes', () => {
  it('L8: liveness goes although the main loop stands still, and comes back', async () => {
    const running = start({ BLOCK_AFTER_MS: '500', BLOCK_FOR_MS: '3000' });
    await appears('live');
    await goes('live');
    expect(running.stderr()).toContain('liveness_failed');
    await appears('live');
  });

  it('of a process that was killed grow old, and are taken over by the next one', async () => {
    const killed = start();
    await appears('ready');
    await killed.stop();
    const left = statSync(file('ready'));
    await delay(2500);
    expect(statSync(file('ready')).mtimeMs).toBe(left.mtimeMs);
    const next = start({ START_MS: '1000' });
    // Nobody may take the new process for ready because the old one was.
    await goes('ready');
    await appears('ready');
    expect(JSON.parse(readFileSync(file('ready'), 'utf8'))).toMatchObject({ pid: next.pid });
    await eventually(
      'a beat',
      () => statSync(file('ready')).mtimeMs > Date.now() - 1000 || undefined,
    );
  });
});
