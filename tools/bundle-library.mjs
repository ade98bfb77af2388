import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles the entry points that package.json exports into as few files as they can share: importing hale is part of
 * every start of a service, and a hundred small files cost ten times what a few do. Declarations come from tsc.
 * @param {string} root Folder of the package.
 * @param {string} outDir
 */
export async function bundleLibrary(root, outDir) {
  await build({
    absWorkingDir: root,
    entryPoints: entryPoints(root),
    outdir: outDir,
    outbase: 'src',
    bundle: true,
    splitting: true,
    chunkNames: 'shared/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // One character beyond Latin-1 would double the size of the whole text in memory, and the time to parse it.
    charset: 'ascii',
    packages: 'external',
    legalComments: 'none',
    logLevel: 'warning',
  });
}

/**
 * The sources behind the exports.
 * @param {string} root
 */
function entryPoints(root) {
  /** @type {{ exports: Record<string, string | { default: string }>, bin?: Record<string, string> }} */
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return [
    ...Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [] : [target.default],
    ),
    ...Object.values(manifest.bin ?? {}),
  ].map((file) => file.replace(/^(\.\/)?dist\//, 'src/').replace(/\.js$/, '.ts'));
}
