import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const ENTRY = 'src/probe/thread-main.ts';
const OUTPUT = 'src/probe/thread-source.generated.ts';
const HASH = /\/\/ sha256 ([0-9a-f]{64})/;

/**
 * @typedef {object} ThreadBundle
 * @property {string} source JavaScript (CommonJS) of the probe thread; empty when there is no entry file.
 * @property {string} hash SHA-256 of `source`, hexadecimal.
 * @property {number} modules Number of source files in the bundle.
 */

/**
 * Bundles the probe thread's entry file in memory.
 * @param {string} root Folder of the package.
 * @returns {Promise<ThreadBundle>}
 */
export async function bundleThread(root) {
  const entry = path.join(root, ENTRY);
  if (!existsSync(entry)) return { source: '', hash: sha256(''), modules: 0 };
  const result = await build({
    absWorkingDir: root,
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    metafile: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    charset: 'ascii',
    legalComments: 'none',
    minifySyntax: true,
    logLevel: 'silent',
  });
  const source = result.outputFiles[0]?.text ?? '';
  return { source, hash: sha256(source), modules: Object.keys(result.metafile.inputs).length };
}

/**
 * Hash recorded in a file that holds the thread's source, if there is one; it is the source's own first line.
 * @param {string} file
 * @returns {string | undefined}
 */
export function embeddedHash(file) {
  return existsSync(file) ? HASH.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
}

/**
 * Path of the generated module.
 * @param {string} root Folder of the package.
 */
export function generatedFile(root) {
  return path.join(root, OUTPUT);
}

/**
 * Writes the probe thread's bundle as a string into a module, only when it changed.
 * @param {string} root Folder of the package.
 * @returns {Promise<ThreadBundle & { written: boolean }>}
 */
export async function embedThread(root) {
  const bundle = await bundleThread(root);
  const file = generatedFile(root);
  const text = render(bundle);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return { ...bundle, written: false };
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return { ...bundle, written: true };
}

/** @param {ThreadBundle} bundle */
function render(bundle) {
  return [
    '// Written by tools/embed-thread.mjs from thread-main.ts; do not edit.',
    '/** JavaScript of the probe thread, started with `eval: true` so that it survives bundlers. */',
    `export const threadSource: string = ${JSON.stringify(`// sha256 ${bundle.hash}\n${bundle.source}`)};`,
    '',
  ].join('\n');
}

/** @param {string} text */
function sha256(text) {
  return createHash('sha256').update(text).digest('hex');
}
