import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { embedPage } from './embed-page.mjs';
import { lateText } from './lib/late-text.mjs';

/**
 * @typedef {object} Thread
 * @property {string} name
 * @property {string} entry
 * @property {string} output
 */

/**
 * The threads that hale starts.
 * @satisfies {Record<string, Thread>}
 */
export const THREADS = {
  probes: {
    name: 'probe thread',
    entry: 'src/probe/thread-main.ts',
    output: 'src/probe/thread-source.generated.ts',
  },
  killSwitch: {
    name: "kill switch's thread",
    entry: 'src/probe/kill-switch/kill-main.ts',
    output: 'src/probe/kill-switch/kill-source.generated.ts',
  },
};

/** Most of the probe thread's code, and the part that no probe needs: a page that nobody opened must not delay its start. */
const LATE = ['src/probe/diagnosis/diagnosis.ts', 'src/page/page.ts'];

const HASH = /\/\/ sha256 ([0-9a-f]{64})/g;

/**
 * @typedef {object} ThreadBundle
 * @property {string} source JavaScript (CommonJS) of the thread; empty when there is no entry file.
 * @property {string} hash SHA-256 of `source`, hexadecimal.
 * @property {number} modules Number of source files in the bundle.
 */

/**
 * Bundles a thread's entry file in memory.
 * @param {string} root Folder of the package.
 * @param {Thread} thread
 * @returns {Promise<ThreadBundle>}
 */
export async function bundleThread(root, { entry }) {
  if (!existsSync(path.join(root, entry))) return { source: '', hash: sha256(''), modules: 0 };
  // The probe thread serves the diagnostic page, whose script and style are bundles of their own.
  await embedPage(root);
  const options = bundleOptions(root);
  const inputs = new Set();
  const note = (/** @type {string[]} */ files) => files.forEach((file) => inputs.add(file));
  const result = await build({
    ...options,
    entryPoints: [entry],
    write: false,
    metafile: true,
    plugins: [lateText(LATE, options, note)],
  });
  note(Object.keys(result.metafile.inputs));
  const source = result.outputFiles[0]?.text ?? '';
  return { source, hash: sha256(source), modules: inputs.size };
}

/**
 * @param {string} root
 * @returns {import('esbuild').BuildOptions}
 */
function bundleOptions(root) {
  return {
    absWorkingDir: root,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    charset: 'ascii',
    legalComments: 'none',
    minifySyntax: true,
    logLevel: 'silent',
  };
}

/**
 * Hashes recorded in a file that holds the source of threads; each is the source's own first line.
 * @param {string} file
 * @returns {string[]}
 */
export function embeddedHashes(file) {
  if (!existsSync(file)) return [];
  return Array.from(readFileSync(file, 'utf8').matchAll(HASH), ([, hash = '']) => hash);
}

/**
 * Writes every thread's bundle as a string into a module.
 * @param {string} root Folder of the package.
 */
export async function embedThreads(root) {
  for (const thread of Object.values(THREADS)) await embedThread(root, thread);
}

/**
 * Writes a thread's bundle as a string into a module, only when it changed.
 * @param {string} root Folder of the package.
 * @param {Thread} thread
 * @returns {Promise<ThreadBundle & { written: boolean }>}
 */
export async function embedThread(root, thread) {
  const bundle = await bundleThread(root, thread);
  const file = path.join(root, thread.output);
  const text = render(bundle, thread);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return { ...bundle, written: false };
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return { ...bundle, written: true };
}

/**
 * @param {ThreadBundle} bundle
 * @param {Thread} thread
 */
function render(bundle, { name, entry }) {
  return [
    `// Written by tools/embed-thread.mjs from ${path.basename(entry)}; do not edit.`,
    `/** JavaScript of the ${name}, started with \`eval: true\` so that it survives bundlers. */`,
    `export const threadSource: string = ${JSON.stringify(`// sha256 ${bundle.hash}\n${bundle.source}`)};`,
    '',
  ].join('\n');
}

/** @param {string} text */
function sha256(text) {
  return createHash('sha256').update(text).digest('hex');
}
