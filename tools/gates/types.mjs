import path from 'node:path';
import { verdict } from '../lib/gate.mjs';
import { bin, run } from '../lib/run.mjs';

/** @type {import('../lib/gate.mjs').Gate} */
export const types = {
  name: 'types (tsc)',
  async run(root) {
    const result = await run(bin('tsc'), ['-p', 'tsconfig.json', '--listFiles'], { cwd: root });
    const lines = result.output.split('\n');
    const own = lines.filter((line) => path.isAbsolute(line) && !line.includes('/node_modules/'));
    const problems = lines.filter((line) => !path.isAbsolute(line)).join('\n');
    return verdict(result.code === 0, own.length, problems);
  },
};
