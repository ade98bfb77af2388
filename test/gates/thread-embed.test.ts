import { statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { embeddedHashes, embedThread, THREADS } from '../../tools/embed-thread.mjs';
import { threadEmbed } from '../../tools/gates/thread-embed.mjs';
import { type Files, type PlantedTree, plantTree } from './planted-tree.js';

const ENTRY: Files = {
  'src/probe/thread-main.ts':
    "import { word } from './word.js';\nexport const said: string = word;\n",
  'src/probe/word.ts': "export const word = 'first';\n",
  'src/probe/kill-switch/kill-main.ts':
    "import { word } from '../word.js';\nexport const last: string = word;\n",
};
const { probes, killSwitch } = THREADS;

/** Embeds, and stands in for the build by keeping only the line it would keep. */
async function embedAndCompile(tree: PlantedTree): Promise<void> {
  const lines: string[] = [];
  for (const thread of [probes, killSwitch]) {
    const { hash } = await embedThread(tree.root, thread);
    lines.push(`const source = "// sha256 ${hash}\\n";\n`);
  }
  // As the bundler does: both in one file.
  tree.write('dist/index.js', lines.join(''));
}

describe('an embedded thread', () => {
  it('holds the bundle of the entry file and everything it imports', async () => {
    using tree = plantTree(ENTRY);
    const result = await embedThread(tree.root, probes);
    expect(result).toMatchObject({ written: true, modules: 2 });
    expect(result.source).toContain('"first"');
    expect(embeddedHashes(path.join(tree.root, probes.output))).toEqual([result.hash]);
  });

  it('is not written again when nothing changed', async () => {
    using tree = plantTree(ENTRY);
    await embedThread(tree.root, probes);
    const before = statSync(path.join(tree.root, probes.output)).mtimeMs;
    expect(await embedThread(tree.root, probes)).toMatchObject({ written: false });
    expect(statSync(path.join(tree.root, probes.output)).mtimeMs).toBe(before);
  });

  it('is an empty string without an entry file', async () => {
    using tree = plantTree({});
    expect(await embedThread(tree.root, probes)).toMatchObject({
      source: '',
      modules: 0,
      written: true,
    });
  });
});

describe('thread gate', () => {
  it('passes a fresh embed', async () => {
    using tree = plantTree(ENTRY);
    await embedAndCompile(tree);
    expect(await threadEmbed.run(tree.root)).toEqual({ ok: true, examined: 4, output: '' });
  });

  it('reports a source that changed after the build', async () => {
    using tree = plantTree(ENTRY);
    await embedAndCompile(tree);
    tree.write('src/probe/word.ts', "export const word = 'second';\n");
    const { ok, output } = await threadEmbed.run(tree.root);
    expect(ok).toBe(false);
    expect(output).toContain(`${probes.output} is stale`);
    expect(output).toContain('dist does not hold the present probe thread');
    expect(output).toContain(`${killSwitch.output} is stale`);
  });

  it('fails when there is no thread to embed', async () => {
    using tree = plantTree({});
    await embedAndCompile(tree);
    expect(await threadEmbed.run(tree.root)).toMatchObject({ ok: false, examined: 0 });
  });

  it('fails when one of the threads is missing', async () => {
    const { [killSwitch.entry]: _missing, ...rest } = ENTRY;
    using tree = plantTree(rest);
    await embedAndCompile(tree);
    const { ok, output } = await threadEmbed.run(tree.root);
    expect([ok, output]).toEqual([false, "there is no kill switch's thread to embed"]);
  });
});
