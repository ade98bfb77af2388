import { describe, expect, it } from 'vitest';
import { knip } from '../../tools/gates/knip.mjs';
import { type Files, plantTree } from './planted-tree.js';

const PACKAGE = {
  name: 'hale',
  version: '1.0.0',
  type: 'module',
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
};

const CLEAN: Files = {
  'package.json': JSON.stringify(PACKAGE),
  'knip.json': JSON.stringify({ project: ['src/**/*.ts'] }),
  'src/index.ts': "export { used } from './used.js';\n",
  'src/used.ts': 'export const used = 1;\n',
};

describe('unused code gate', () => {
  it('passes a clean tree and looked at its files', async () => {
    using tree = plantTree(CLEAN);
    expect(await knip.run(tree.root)).toEqual({ ok: true, examined: 2, output: '' });
  });

  it.each<[string, string, Files]>([
    ['file', 'src/orphan.ts', { 'src/orphan.ts': 'export const lost = 1;\n' }],
    [
      'export',
      'leftover',
      { 'src/used.ts': 'export const used = 1;\nexport const leftover = 2;\n' },
    ],
    [
      'dependency',
      'publint',
      { 'package.json': JSON.stringify({ ...PACKAGE, dependencies: { publint: '0.3.25' } }) },
    ],
  ])('reports an unused %s', async (_kind, name, files) => {
    using tree = plantTree({ ...CLEAN, ...files });
    const result = await knip.run(tree.root);
    expect(result).toMatchObject({ ok: false, output: expect.stringContaining(name) });
  });
});
