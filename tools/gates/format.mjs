import { countIn, verdict } from '../lib/gate.mjs';
import { bin, run } from '../lib/run.mjs';

/** @type {import('../lib/gate.mjs').Gate} */
export const format = {
  name: 'format (oxfmt)',
  async run(root) {
    const result = await run(bin('oxfmt'), ['--check'], { cwd: root });
    return verdict(result.code === 0, countIn(/ on (\d+) files? /, result.output), result.output);
  },
};
