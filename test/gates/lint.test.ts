import { describe, expect, it } from 'vitest';
import { lint } from '../../tools/gates/lint.mjs';
import { type Files, plantTree } from './planted-tree.js';

const CLEAN: Files = {
  'src/core/a.ts': 'export const a = 1;\n',
  'src/engine/system-clock.ts':
    'export const systemNow = (): number => performance.now() + Date.now();\n' +
    'export const later = (run: () => void): void => void setTimeout(run, 1);\n',
};

/** Text that must be reported, by the statement that breaks the rule. */
const PLANTED: readonly (readonly [report: string, text: string])[] = [
  ["no-restricted-globals): Unexpected use of 'Date'", 'export const now = () => Date.now();'],
  [
    "no-restricted-globals): Unexpected use of 'performance'",
    'export const p = () => performance.now();',
  ],
  [
    "no-restricted-globals): Unexpected use of 'setTimeout'",
    'export const t = () => setTimeout(() => {}, 1);',
  ],
  [
    "no-restricted-globals): Unexpected use of 'setInterval'",
    'export const i = () => setInterval(() => {}, 1);',
  ],
  ['no-restricted-properties', 'export const s = () => AbortSignal.timeout(5);'],
  ['no-restricted-properties', 'export const y = () => AbortSignal.any([]);'],
  ['no-restricted-properties', 'export const h = () => process.hrtime.bigint();'],
  ['no-restricted-properties', 'export const g = () => globalThis.setTimeout(() => {}, 1);'],
  [
    'no-restricted-imports',
    "import { setTimeout as sleep } from 'node:timers/promises';\nexport { sleep };",
  ],
  [
    'no-restricted-imports',
    "import { performance } from 'node:perf_hooks';\nexport { performance };",
  ],
  ['no-restricted-imports', "import { hrtime } from 'node:process';\nexport { hrtime };"],
  ['no-floating-promises', 'export const f = (): void => {\n  Promise.resolve(1);\n};'],
  [
    'no-misused-promises',
    'export const m = (): void => {\n  [1].forEach(async () => {\n    await Promise.resolve();\n  });\n};',
  ],
  ['no-explicit-any', 'export const x = (value: any): string => String(value);'],
  ['no-console', "export const c = (): void => console.log('x');"],
  ['no-warning-comments', '// TODO: later\nexport const w = 1;'],
  ['max-lines', `${'// line\n'.repeat(321)}export const l = 1;`],
];

describe('lint gate', () => {
  it('passes a clean tree, the system clock included, and looked at its files', async () => {
    using tree = plantTree(CLEAN);
    const result = await lint.run(tree.root);
    expect(result).toMatchObject({ ok: true, output: '' });
    expect(result.examined).toBeGreaterThanOrEqual(Object.keys(CLEAN).length);
  });

  it('reports every planted violation in its own file', async () => {
    const files = PLANTED.map(([, text], index) => [`src/engine/planted-${index}.ts`, `${text}\n`]);
    using tree = plantTree({ ...CLEAN, ...Object.fromEntries(files) });
    const { ok, output } = await lint.run(tree.root);
    expect(ok).toBe(false);
    const reports = output.split(/\n\s*\n/);
    for (const [index, [report]] of PLANTED.entries()) {
      const own = reports.filter((text) => text.includes(`planted-${index}.ts`)).join('\n');
      expect(own, `planted-${index}`).toContain(report);
    }
  });

  it('reports a focused, a disabled and an empty test', async () => {
    using tree = plantTree({
      'test/planted.test.ts':
        "import { expect, it } from 'vitest';\n" +
        "it.only('a', () => expect(1).toBe(1));\n" +
        "it.skip('b', () => expect(1).toBe(1));\n" +
        "it('c', () => {});\n",
    });
    const { ok, output } = await lint.run(tree.root);
    expect(ok).toBe(false);
    expect(output).toContain('no-focused-tests');
    expect(output).toContain('no-disabled-tests');
    expect(output).toContain('expect-expect');
  });

  it('fails when there is nothing to lint', async () => {
    using tree = plantTree({ '.oxlintrc.json': '{ "ignorePatterns": ["**"] }' });
    expect(await lint.run(tree.root)).toMatchObject({ ok: false, examined: 0 });
  });
});
