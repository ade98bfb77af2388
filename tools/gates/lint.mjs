import { countIn, verdict } from '../lib/gate.mjs';
import { bin, run } from '../lib/run.mjs';

/** @type {import('../lib/gate.mjs').Gate} */
export const lint = {
  name: 'lint (oxlint, type-aware)',
  async run(root) {
    const result = await run(bin('oxlint'), ['-c', '.oxlintrc.json'], { cwd: root });
    return verdict(result.code === 0, countIn(/ on (\d+) files? /, result.output), result.output);
  },
};
