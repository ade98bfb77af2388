import { statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { embeddedHash, embedThread, generatedFile } from '../../tools/embed-thread.mjs';
import { threadEmbed } from '../../tools/gates/thread-embed.mjs';
import { type Files, type PlantedTree, plantTree } from './planted-tree.js';

const ENTRY: Files = {
  'src/probe/thread-main.ts':
    "import { word } from './word.js';\nexport const said: string = word;\n",
  'src/probe/word.ts': "export const word = 'first';\n",
};

/** Embeds, and stands in for the build by keeping only the line it would keep. */
async function embedAndCompile(tree: PlantedTree): Promise<void> {
  const { hash } = await embedThread(tree.root);
  tree.write('dist/shared/chunk-1.js', `const source = "// sha256 ${hash}\\n";\n`);
}

describe('probe thread embed', () => {
  it('holds the bundle of the entry file and everything it imports', async () => {
    using tree = plantTree(ENTRY);
    const result = await embedThread(tree.root);
    expect(result).toMatchObject({ written: true, modules: 2 });
    expect(result.source).toContain('"first"');
    expect(embeddedHash(generatedFile(tree.root))).toBe(result.hash);
  });

  it('is not written again when nothing changed', async () => {
    using tree = plantTree(ENTRY);
    await embedThread(tree.root);
    const before = statSync(generatedFile(tree.root)).mtimeMs;
    expect(await embedThread(tree.root)).toMatchObject({ written: false });
    expect(statSync(generatedFile(tree.root)).mtimeMs).toBe(before);
  });

  it('is an empty string without an entry file', async () => {
    using tree = plantTree({});
    expect(await embedThread(tree.root)).toMatchObject({ source: '', modules: 0, written: true });
  });
});

describe('probe thread gate', () => {
  it('passes a fresh embed', async () => {
    using tree = plantTree(ENTRY);
    await embedAndCompile(tree);
    expect(await threadEmbed.run(tree.root)).toEqual({ ok: true, examined: 2, output: '' });
  });

  it('reports a source that changed after the build', async () => {
    using tree = plantTree(ENTRY);
    await embedAndCompile(tree);
    tree.write('src/probe/word.ts', "export const word = 'second';\n");
    const { ok, output } = await threadEmbed.run(tree.root);
    expect(ok).toBe(false);
    expect(output).toContain(`${path.join('src/probe', 'thread-source.generated.ts')} is stale`);
    expect(output).toContain('dist does not hold the present probe thread');
  });

  it('fails when there is no probe thread to embed', async () => {
    using tree = plantTree({});
    await embedAndCompile(tree);
    expect(await threadEmbed.run(tree.root)).toMatchObject({ ok: false, examined: 0 });
  });
});
