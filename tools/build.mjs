import { chmodSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { embedThread } from './embed-thread.mjs';
import { bin, ROOT, runVisibly } from './lib/run.mjs';

const STDERR = 2;
const EXAMPLE = 'examples/order-service';

/**
 * Embeds the probe thread and compiles hale, then the example that is built on it.
 * Everything printed goes to standard error, so that a caller's output stays its own.
 * @throws {Error} when a compiler fails.
 */
export async function buildAll() {
  await buildLibrary();
  await buildExample();
}

async function buildLibrary() {
  await embedThread(ROOT);
  rmSync(path.join(ROOT, 'dist'), { recursive: true, force: true });
  await compile('tsconfig.build.json');
  const cli = path.join(ROOT, 'dist/cli/bin.js');
  if (existsSync(cli)) chmodSync(cli, 0o755);
}

async function buildExample() {
  if (!existsSync(path.join(ROOT, EXAMPLE, 'tsconfig.json'))) return;
  rmSync(path.join(ROOT, EXAMPLE, 'dist'), { recursive: true, force: true });
  await compile(`${EXAMPLE}/tsconfig.json`);
}

/** @param {string} project */
async function compile(project) {
  const code = await runVisibly(bin('tsc'), ['-p', project], { stdout: STDERR });
  if (code !== 0) throw new Error(`tsc -p ${project} ended with code ${code}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  buildAll().catch((/** @type {Error} */ error) => {
    console.error(`build failed: ${error.message}`);
    process.exitCode = 1;
  });
}
