import path from 'node:path';
import { bundleThread, embeddedHash, generatedFile } from '../embed-thread.mjs';
import { verdict } from '../lib/gate.mjs';

const COMPILED = 'dist/probe/thread-source.generated.js';

/**
 * What is published must hold the probe thread's present code.
 * @type {import('../lib/gate.mjs').Gate}
 */
export const threadEmbed = {
  name: 'probe thread embedded and fresh',
  async run(root) {
    const bundle = await bundleThread(root);
    const problems = [generatedFile(root), path.join(root, COMPILED)]
      .filter((file) => embeddedHash(file) !== bundle.hash)
      .map((file) => `${path.relative(root, file)} is stale: run npm run build`);
    return verdict(problems.length === 0, bundle.modules, problems.join('\n'));
  },
};
