import { describe, expect, it } from 'vitest';
import { dependencies } from '../../tools/gates/dependencies.mjs';
import { type Files, plantTree } from './planted-tree.js';

const CLEAN: Files = {
  'src/core/check.ts': 'export const check = 1;\n',
  'src/core/types.ts': 'export interface Shape { readonly size: number }\n',
  'src/engine/index.ts': "import { check } from '../core/check.js';\nexport const run = check;\n",
  'src/protocol/json.ts': 'export const json = 1;\n',
  'src/probe/thread.ts': "import { json } from '../protocol/json.js';\nexport const t = json;\n",
  'src/checks/redis.ts': "export { check } from '../core/check.js';\n",
  'src/checks/redis/reply.ts': 'export const reply = 1;\n',
  'src/index.ts':
    "export { run } from './engine/index.js';\nexport { t } from './probe/thread.js';\n",
};

/** Rule that must answer, by the file that breaks it. */
const PLANTED: readonly (readonly [rule: string, file: string, text: string])[] = [
  [
    'table-core',
    'src/core/a.ts',
    "import { run } from '../engine/index.js';\nexport const a = run;\n",
  ],
  [
    'table-engine',
    'src/engine/b.ts',
    "import type { T } from '../probe/t.js';\nexport type B = T;\n",
  ],
  ['table-protocol', 'src/protocol/c.ts', "export { run } from '../engine/index.js';\n"],
  ['table-checks', 'src/checks/d.ts', "export { run } from '../engine/index.js';\n"],
  ['table-probe', 'src/probe/t.ts', "export type { T } from '../engine/b.js';\n"],
  ['table-unknown', 'src/utils/e.ts', 'export const e = 1;\n'],
  [
    'types-only-frameworks-engine',
    'src/frameworks/f.ts',
    "export { run } from '../engine/index.js';\n",
  ],
  ['types-only-page-core', 'src/page/g.ts', "export { check } from '../core/check.js';\n"],
  ['root-is-not-imported', 'src/engine/h.ts', "export { run } from '../index.js';\n"],
  ['root-without-cli', 'src/create-health.ts', "export { cli } from './cli/i.js';\n"],
  [
    'core-is-pure',
    'src/core/j.ts',
    "import { readFileSync } from 'node:fs';\nexport const j = readFileSync;\n",
  ],
  ['siblings', 'src/checks/k.ts', "export { check } from './redis.js';\n"],
  [
    'no-npm-in-library',
    'src/checks/l.ts',
    "import type { Pool } from 'pg';\nexport type L = Pool;\n",
  ],
  ['src-stands-alone', 'src/engine/m.ts', "export { helper } from '../../test/helper.js';\n"],
  ['no-circles', 'src/core/n.ts', "import type { O } from './o.js';\nexport type N = O | 1;\n"],
  ['resolvable', 'src/core/p.ts', "export { gone } from './gone.js';\n"],
];

const HELPERS: Files = {
  'src/cli/i.ts': 'export const cli = 1;\n',
  'src/core/o.ts': "import type { N } from './n.js';\nexport type O = N | 2;\n",
  'test/helper.ts': 'export const helper = 1;\n',
};

describe('folder table gate', () => {
  it('passes a clean tree and looked at its modules', async () => {
    using tree = plantTree(CLEAN);
    const result = await dependencies.run(tree.root);
    expect(result).toMatchObject({ ok: true, output: '' });
    expect(result.examined).toBeGreaterThanOrEqual(Object.keys(CLEAN).length);
  });

  it('reports every kind of planted violation at the planted file', async () => {
    const planted = PLANTED.map(([, file, text]) => [file, text]);
    using tree = plantTree({ ...CLEAN, ...HELPERS, ...Object.fromEntries(planted) });
    const { ok, output } = await dependencies.run(tree.root);
    expect(ok).toBe(false);
    for (const [rule, file] of PLANTED) {
      const place = rule === 'table-unknown' ? 'src/utils' : file;
      expect(output).toContain(`${rule}: ${place}`);
    }
  });

  it('does not blame the files that keep the rules', async () => {
    using tree = plantTree({
      ...CLEAN,
      ...HELPERS,
      'src/cli/i.ts': "import 'pg';\nexport { run } from '../index.js';\n",
    });
    expect(await dependencies.run(tree.root)).toMatchObject({
      ok: false,
      output: expect.not.stringMatching(/cli|checks|engine/),
    });
  });

  it('fails when no module was cruised', async () => {
    using tree = plantTree({ 'src/readme.md': 'no module here\n' });
    const result = await dependencies.run(tree.root);
    expect(result).toMatchObject({ ok: false, examined: 0 });
    expect(result.output).toContain('nothing was examined');
  });
});
