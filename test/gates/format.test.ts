import { describe, expect, it } from 'vitest';
import { format } from '../../tools/gates/format.mjs';
import { plantTree } from './planted-tree.js';

// Only the formatter's own configuration: the other files are the tree's, not the test's.
const CONFIGS = ['.oxfmtrc.json'];

describe('format gate', () => {
  it('passes a formatted tree and looked at its files', async () => {
    using tree = plantTree({ 'src/a.ts': "export const a = 'a';\n" }, CONFIGS);
    const result = await format.run(tree.root);
    expect(result).toMatchObject({ ok: true });
    expect(result.examined).toBeGreaterThan(0);
  });

  it('names the file that is not formatted', async () => {
    using tree = plantTree({ 'src/planted.ts': 'export const a = "a"\n' }, CONFIGS);
    const result = await format.run(tree.root);
    expect(result).toMatchObject({ ok: false, output: expect.stringContaining('src/planted.ts') });
  });
});
