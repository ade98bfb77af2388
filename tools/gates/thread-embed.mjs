import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { bundleThread, embeddedHashes, THREADS } from '../embed-thread.mjs';
import { verdict } from '../lib/gate.mjs';

/** Where the bundler may have put what the package's entry points share. */
const BUILT = ['dist', 'dist/main', 'dist/shared'];

/**
 * What is published must hold the present code of every thread.
 * @type {import('../lib/gate.mjs').Gate}
 */
export const threadEmbed = {
  name: 'threads embedded and fresh',
  async run(root) {
    const built = builtFiles(root).flatMap(embeddedHashes);
    const problems = [];
    let modules = 0;
    for (const thread of Object.values(THREADS)) {
      const bundle = await bundleThread(root, thread);
      modules += bundle.modules;
      if (bundle.modules === 0) problems.push(`there is no ${thread.name} to embed`);
      if (!embeddedHashes(path.join(root, thread.output)).includes(bundle.hash))
        problems.push(`${thread.output} is stale: run npm run build`);
      if (!built.includes(bundle.hash))
        problems.push(`dist does not hold the present ${thread.name}: run npm run build`);
    }
    return verdict(problems.length === 0, modules, problems.join('\n'));
  },
};

/** @param {string} root */
function builtFiles(root) {
  return BUILT.map((folder) => path.join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)))
    .filter((file) => file.endsWith('.js'));
}
