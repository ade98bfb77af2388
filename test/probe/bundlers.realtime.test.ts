import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import webpack from 'webpack';
import type { BoundAddress } from '../../src/core/probe-host.js';
import type * as Main from '../../src/index.js';
import { bundleLibrary } from '../../tools/bundle-library.mjs';
import { ROOT } from '../../tools/lib/run.mjs';
import { type Program, startProgram } from '../support/program.js';
import { probe } from '../support/probing.js';

type Ncc = (
  entry: string,
  options: { minify: boolean; quiet: boolean },
) => Promise<{ code: string }>;

const PROGRAM = `
import { createHealth } from 'hale';
const health = createHealth({
  probes: { host: '127.0.0.1', port: 0 },
  diagnostic: false,
  checks: { own: async () => {} },
});
process.on('message', () => {
  process.send({ event: 'blocking' }, () => {
    const end = Date.now() + 1500;
    while (Date.now() < end);
    process.send({ event: 'done' });
  });
});
health.start().then(
  (addresses) => process.send({ event: 'listening', addresses }),
  (error) => process.send({ event: 'failed', message: String(error) }),
);
`;

let folder: string;
let entry: string;
let program: Program | undefined;

// As an application has it: the built package in node_modules, found through its exports.
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'hale-bundlers-'));
  const home = path.join(folder, 'node_modules', 'hale');
  mkdirSync(home, { recursive: true });
  cpSync(path.join(ROOT, 'package.json'), path.join(home, 'package.json'));
  await bundleLibrary(ROOT, path.join(home, 'dist'));
  entry = path.join(folder, 'entry.mjs');
  writeFileSync(entry, PROGRAM);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => program?.stop());

const mainFile = (): string => path.join(folder, 'node_modules/hale/dist/index.js');

const bundlers: Readonly<Record<string, (output: string) => Promise<void>>> = {
  async esbuild(outfile) {
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
  },
  webpack: (output) =>
    new Promise((resolve, reject) => {
      webpack(
        {
          mode: 'production',
          target: 'node20',
          entry,
          output: { path: path.dirname(output), filename: path.basename(output), module: true },
          experiments: { outputModule: true },
        },
        (error, stats) => {
          if (error !== null) reject(error);
          else if (stats?.hasErrors() === true) reject(new Error(stats.toString('errors-only')));
          else resolve();
        },
      );
    }),
  async ncc(output) {
    // @ts-expect-error It ships no types.
    const { default: ncc } = (await import('@vercel/ncc')) as { default: Ncc };
    const { code } = await ncc(entry, { minify: true, quiet: true });
    writeFileSync(output, code);
  },
};

describe('the main entry point', () => {
  it('is one file: what it imports late is all that is beside it', () => {
    const text = readFileSync(mainFile(), 'utf8');
    expect(text.match(/\bimport\("\.\/main\/[\w-]+\.js"\)/g)?.length).toBeGreaterThan(5);
    expect(text.match(/^(?:import|export)\b[^;]*["']\.{1,2}\/.*$/gm)).toBeNull();
  });

  it('recognises the errors of what it imports late, which has classes of its own', async () => {
    const { createHealth, isHaleError } = (await import(
      pathToFileURL(mainFile()).href
    )) as typeof Main;
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const health = createHealth({
      isolation: 'inline',
      probes: { host: '127.0.0.1', port },
      diagnostic: false,
      logger: { info() {}, warn() {}, error() {} },
    });
    try {
      const error: unknown = await health.start().catch((reason: unknown) => reason);
      expect(isHaleError(error, 'HALE_PORT_IN_USE')).toBe(true);
    } finally {
      await health.dispose();
      taken.close();
    }
  });
});

describe.each(Object.keys(bundlers))('bundled by %s', (name) => {
  it('E5: the program answers from its own thread while the main one is busy', async () => {
    const output = path.join(folder, name, 'bundle.mjs');
    mkdirSync(path.dirname(output));
    await bundlers[name]?.(output);
    // Moved away from the package, so that nothing can be loaded from it.
    const alone = mkdtempSync(path.join(tmpdir(), 'hale-alone-'));
    cpSync(path.dirname(output), alone, { recursive: true });
    program = startProgram(path.join(alone, 'bundle.mjs'));
    const { addresses } = await program.message('listening');
    const port = (addresses as BoundAddress[])[0]?.port ?? 0;
    expect((await probe(port, '/livez')).status).toBe(200);
    program.send({});
    await program.message('blocking');
    expect((await probe(port, '/livez')).status).toBe(200);
    expect(program.messages.some(({ event }) => event === 'done')).toBe(false);
    rmSync(alone, { recursive: true, force: true });
  });
});
