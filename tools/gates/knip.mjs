import { verdict } from '../lib/gate.mjs';
import { bin, run } from '../lib/run.mjs';
import { filesBelow } from '../lib/tree.mjs';

/** @type {import('../lib/gate.mjs').Gate} */
export const knip = {
  name: 'unused code (knip)',
  async run(root) {
    const result = await run(bin('knip'), ['--no-progress', '--treat-config-hints-as-errors'], {
      cwd: root,
    });
    return verdict(result.code === 0, filesBelow(`${root}/src`, ['.ts']).length, result.output);
  },
};
