import { cpSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { types } from '../../tools/gates/types.mjs';
import { ROOT, run } from '../../tools/lib/run.mjs';
import { countProject } from '../../tools/lib/vitest-project.mjs';
import { type Files, type PlantedTree, plantTree } from './planted-tree.js';

const VITEST_FILES = [
  'vitest.config.ts',
  'tools/longest-first.mjs',
  'tools/property-seed.mjs',
  'tools/vitest-setup.mjs',
  'tools/embed-page.mjs',
  'tools/embed-thread.mjs',
  'tools/lib',
];

function plantTests(files: Files): PlantedTree {
  const tree = plantTree(files);
  for (const file of VITEST_FILES) {
    cpSync(path.join(ROOT, file), path.join(tree.root, file), { recursive: true });
  }
  return tree;
}

const quietly: Parameters<typeof countProject>[2] = async (command, args, options) =>
  (await run(command, args, options)).code;

const typeTest = (type: string): Files => ({
  'test/types/planted.test-d.ts':
    "import { expectTypeOf, it } from 'vitest';\n" +
    `it('is a number', () => {\n  expectTypeOf(1).toEqualTypeOf<${type}>();\n});\n`,
});

const unitTest = (body: string): Files => ({
  'test/planted.test.ts': `import { expect, it } from 'vitest';\n${body}\n`,
});

describe('type check gate', () => {
  it('passes a clean tree and looked at its files', async () => {
    using tree = plantTree({ 'src/a.ts': 'export const a: number = 1;\n' });
    const result = await types.run(tree.root);
    expect(result).toMatchObject({ ok: true });
    expect(result.examined).toBeGreaterThan(0);
  });

  it('reports a wrong type in sources, tests and tools', async () => {
    const wrong = "export const a: number = 'one';\n";
    using tree = plantTree({
      'src/planted.ts': wrong,
      'test/planted.ts': wrong,
      'tools/planted.mjs': "/** @type {number} */\nexport const a = 'one';\n",
      'src/page/client/tsconfig.json':
        '{ "extends": "../../../tsconfig.json", "include": ["."], "exclude": [] }',
      'src/page/client/planted.ts': wrong,
    });
    const { ok, output } = await types.run(tree.root);
    expect(ok).toBe(false);
    for (const file of [
      'src/planted.ts(',
      'test/planted.ts(',
      'tools/planted.mjs(',
      'src/page/client/planted.ts(',
    ]) {
      expect(output).toContain(file);
    }
  });
});

describe('counting a vitest project', () => {
  it('counts a type test that holds and one that does not', async () => {
    using good = plantTests(typeTest('number'));
    expect(await countProject('types', good.root, quietly)).toMatchObject({ passed: 1, failed: 0 });
    using bad = plantTests(typeTest('string'));
    expect(await countProject('types', bad.root, quietly)).toMatchObject({ passed: 0, failed: 1 });
  });

  it('fails when no test ran', async () => {
    using tree = plantTests({});
    const counts = await countProject('realtime', tree.root, quietly);
    expect(counts).toEqual({
      passed: 0,
      failed: 1,
      note: 'no test ran',
      failures: [],
      retried: [],
    });
  });

  it('counts a skipped test and a file that does not load as failed', async () => {
    const loads = unitTest("it.skip('a', () => {});\nit('b', () => expect(1).toBe(1));");
    using tree = plantTests({ ...loads, 'test/broken.test.ts': "import './gone.js';\n" });
    const counts = await countProject('unit', tree.root, quietly);
    expect(counts).toMatchObject({ passed: 1, failed: 2, note: '1 files did not load, 1 skipped' });
    expect(counts.failures.toSorted()).toEqual([
      'test/broken.test.ts: did not load',
      expect.stringMatching(/^test\/broken.test.ts: outside of its tests\n +Cannot find .*gone/),
      'test/planted.test.ts: a (skipped)',
    ]);
  });

  it('says why the tests of a suite were skipped', async () => {
    const hook = "beforeAll(() => { throw new Error('no server'); });";
    const suite = `describe('a server', () => { ${hook} it('a', () => expect(1).toBe(1)); });`;
    using tree = plantTests({
      'test/planted.test.ts': `import { beforeAll, describe, expect, it } from 'vitest';\n${suite}\n`,
    });
    const counts = await countProject('unit', tree.root, quietly);
    expect(counts).toMatchObject({ passed: 0, failed: 1 });
    expect(counts.failures).toEqual([
      'test/planted.test.ts: a hook of "a server"\n     no server',
      'test/planted.test.ts: a server a (skipped)',
    ]);
  });

  it('names what passed at a second try, and does not let a third', async () => {
    const body = (tries: number) =>
      `let n = 0;\nit('a', () => {\n  n += 1;\n  expect(n).toBe(${tries});\n});`;
    const file = (tries: number): Files => ({
      'test/planted.realtime.test.ts': unitTest(body(tries))['test/planted.test.ts'] ?? '',
    });
    using second = plantTests(file(2));
    const counts = await countProject('realtime', second.root, quietly);
    expect(counts).toMatchObject({ passed: 1, failed: 0, note: '1 passed at a second try' });
    expect(counts.retried.join()).toMatch(
      /^test\/planted\.realtime\.test\.ts: a\n.*expected 1 to be 2/,
    );
    using third = plantTests(file(3));
    expect(await countProject('realtime', third.root, quietly)).toMatchObject({ failed: 1 });
  });

  it('fails when every test passes and the coverage is too low', async () => {
    using tree = plantTests({
      ...unitTest("it('a', () => expect(1).toBe(1));"),
      'src/core/uncovered.ts': 'export const a = (b: number): number => (b > 1 ? 1 : 2);\n',
    });
    const counts = await countProject('unit', tree.root, quietly);
    expect(counts).toMatchObject({
      passed: 1,
      failed: 1,
      note: expect.stringContaining('coverage'),
    });
  });
});
