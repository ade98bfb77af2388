import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleLibrary } from './bundle-library.mjs';
import { embedThreads } from './embed-thread.mjs';
import { bin, ROOT, runVisibly } from './lib/run.mjs';

const STDERR = 2;
/** Examples in TypeScript; the others run as they are. */
const EXAMPLES = ['examples/order-service', 'examples/nest-service'];

/**
 * Embeds the threads and compiles hale, then the examples that are built on it.
 * Everything printed goes to standard error, so that a caller's output stays its own.
 * @throws {Error} when a compiler fails.
 */
export async function buildAll() {
  await buildLibrary();
  for (const example of EXAMPLES) await buildExample(example);
}

async function buildLibrary() {
  await embedThreads(ROOT);
  await intoPlace('dist', async (next) => {
    await compile('tsconfig.build.json', next);
    await bundleLibrary(ROOT, next);
  });
  const cli = path.join(ROOT, 'dist/cli/bin.cjs');
  if (existsSync(cli)) chmodSync(cli, 0o755);
}

/** @param {string} example */
async function buildExample(example) {
  if (!existsSync(path.join(ROOT, example, 'tsconfig.json'))) return;
  await intoPlace(`${example}/dist`, (next) => compile(`${example}/tsconfig.json`, next));
}

/**
 * Builds beside the output and swaps on success: a build that fails, or one still running, leaves the last good
 * output in place for whoever is using it.
 * @param {string} output
 * @param {(next: string) => Promise<void>} produce
 */
async function intoPlace(output, produce) {
  const target = path.join(ROOT, output);
  const next = `${target}.next-${process.pid}`;
  try {
    await produce(next);
    rmSync(target, { recursive: true, force: true });
    renameSync(next, target);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

/**
 * @param {string} project
 * @param {string} outDir
 */
async function compile(project, outDir) {
  const code = await runVisibly(bin('tsc'), ['-p', project, '--outDir', outDir], {
    stdout: STDERR,
  });
  if (code !== 0) throw new Error(`tsc -p ${project} ended with code ${code}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  buildAll().catch((/** @type {Error} */ error) => {
    console.error(`build failed: ${error.message}`);
    process.exitCode = 1;
  });
}
