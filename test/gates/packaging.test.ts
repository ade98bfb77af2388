import { describe, expect, it } from 'vitest';
import { attw } from '../../tools/gates/attw.mjs';
import { exportsMap } from '../../tools/gates/exports.mjs';
import { lockFile } from '../../tools/gates/lock-file.mjs';
import { publint } from '../../tools/gates/publint.mjs';
import { type Files, plantTree } from './planted-tree.js';

const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });

function manifest(exports: object): string {
  return JSON.stringify({
    name: 'hale',
    version: '1.0.0',
    license: 'Apache-2.0',
    type: 'module',
    files: ['dist'],
    sideEffects: false,
    engines: { node: '>=20.11' },
    exports,
  });
}

const EXPORTS = { '.': entry('index'), './checks/redis': entry('checks/redis') };

const CLEAN: Files = {
  'package.json': manifest(EXPORTS),
  'README.md': "```ts\nimport { a } from 'hale';\nimport { b } from 'hale/checks/redis';\n```\n",
  LICENSE: 'Apache License\n',
  'dist/index.js': 'export const a = 1;\n',
  'dist/index.d.ts': 'export declare const a = 1;\n',
  'dist/checks/redis.js': 'export const b = 1;\n',
  'dist/checks/redis.d.ts': 'export declare const b = 1;\n',
};

describe.each([
  ['publint', publint],
  ['attw', attw],
  ['exports', exportsMap],
])('%s gate', (_name, gate) => {
  it('passes a clean package and looked at its exports', async () => {
    using tree = plantTree(CLEAN);
    expect(await gate.run(tree.root)).toEqual({ ok: true, examined: 2, output: '' });
  });
});

describe('publint gate', () => {
  it('reports a missing file and types behind the code', async () => {
    const behind = { default: './dist/index.js', types: './dist/index.d.ts' };
    const exports = { '.': behind, './gone': entry('gone') };
    using tree = plantTree({ ...CLEAN, 'package.json': manifest(exports) });
    const { ok, output } = await publint.run(tree.root);
    expect(ok).toBe(false);
    expect(output).toContain('FILE_DOES_NOT_EXIST');
    expect(output).toContain('EXPORTS_TYPES_SHOULD_BE_FIRST');
  });
});

describe('attw gate', () => {
  it('reports types that do not resolve', async () => {
    using tree = plantTree({ ...CLEAN, 'dist/index.d.ts': "export * from './gone';\n" });
    const result = await attw.run(tree.root);
    const output = expect.stringContaining('InternalResolutionError');
    expect(result).toMatchObject({ ok: false, output });
  });
});

describe('exports gate', () => {
  it.each<[string, Files]>([
    [
      './guards: ./dist/guards.d.ts does not exist',
      { 'package.json': manifest({ ...EXPORTS, './guards': entry('guards') }) },
    ],
    ['hale/checks/redis is exported but', { 'README.md': "import 'hale';\n" }],
    ['hale/gone is documented but', { 'docs/gone.md': "import { a } from 'hale/gone';\n" }],
    ['./dist/checks/http.js is built but', { 'dist/checks/http.d.ts': 'export {};\n' }],
  ])('reports: %s', async (message, files) => {
    using tree = plantTree({ ...CLEAN, ...files });
    const result = await exportsMap.run(tree.root);
    expect(result).toMatchObject({ ok: false, output: expect.stringContaining(message) });
  });

  it('fails when nothing is exported', async () => {
    using tree = plantTree({ ...CLEAN, 'package.json': manifest({}), 'README.md': '' });
    expect(await exportsMap.run(tree.root)).toMatchObject({ ok: false, examined: 0 });
  });
});

describe('lock file gate', () => {
  const lock = (packages: number, first: object = {}): Files => {
    const entries = Array.from({ length: packages }, (_, index) => [`node_modules/p${index}`, {}]);
    const all = { ...Object.fromEntries(entries), 'node_modules/p0': first };
    return { 'package-lock.json': JSON.stringify({ packages: all }, null, 2) };
  };

  it('passes hashes and links inside the workspace', async () => {
    using tree = plantTree(lock(120, { resolved: 'bench', link: true }));
    expect(await lockFile.run(tree.root)).toEqual({ ok: true, examined: 120, output: '' });
  });

  it('reports a download address', async () => {
    using tree = plantTree(lock(120, { resolved: 'https://registry.example/p0.tgz' }));
    const output = 'node_modules/p0 has a download address';
    expect(await lockFile.run(tree.root)).toMatchObject({ ok: false, output });
  });

  it('reports a lock file with too few packages', async () => {
    using tree = plantTree(lock(3));
    const result = await lockFile.run(tree.root);
    expect(result).toMatchObject({ ok: false, output: expect.stringContaining('only 3 packages') });
  });
});
