import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { bundleThread, embeddedHash, generatedFile } from '../embed-thread.mjs';
import { verdict } from '../lib/gate.mjs';

/** Where the bundler may have put what the package's entry points share. */
const BUILT = ['dist', 'dist/shared'];

/**
 * What is published must hold the probe thread's present code.
 * @type {import('../lib/gate.mjs').Gate}
 */
export const threadEmbed = {
  name: 'probe thread embedded and fresh',
  async run(root) {
    const bundle = await bundleThread(root);
    const problems = [];
    if (embeddedHash(generatedFile(root)) !== bundle.hash) {
      problems.push(`${path.relative(root, generatedFile(root))} is stale: run npm run build`);
    }
    const built = builtFiles(root).map(embeddedHash);
    if (!built.includes(bundle.hash)) {
      problems.push('dist does not hold the present probe thread: run npm run build');
    }
    return verdict(problems.length === 0, bundle.modules, problems.join('\n'));
  },
};

/** @param {string} root */
function builtFiles(root) {
  return BUILT.map((folder) => path.join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)))
    .filter((file) => file.endsWith('.js'));
}
