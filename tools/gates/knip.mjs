import { verdict } from '../lib/gate.mjs';
import { bin, run } from '../lib/run.mjs';
import { filesBelow } from '../lib/tree.mjs';

// The build's configuration knows which source each published file comes from.
const BUILD = 'tsconfig.build.json';

/** @type {import('../lib/gate.mjs').Gate} */
export const knip = {
  name: 'unused code (knip)',
  async run(root) {
    const args = ['--no-progress', '--treat-config-hints-as-errors', '--tsConfig', BUILD];
    const result = await run(bin('knip'), args, {
      cwd: root,
    });
    return verdict(result.code === 0, filesBelow(`${root}/src`, ['.ts']).length, result.output);
  },
};
