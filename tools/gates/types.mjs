import { existsSync } from 'node:fs';
import path from 'node:path';
import { verdict } from '../lib/gate.mjs';
import { bin, run } from '../lib/run.mjs';

// The script of the page runs in a browser and knows no Node.js.
const PROJECTS = ['tsconfig.json', 'src/page/client/tsconfig.json'];

/** @type {import('../lib/gate.mjs').Gate} */
export const types = {
  name: 'types (tsc)',
  async run(root) {
    const results = [];
    for (const project of PROJECTS) {
      if (!existsSync(path.join(root, project))) continue;
      results.push(await run(bin('tsc'), ['-p', project, '--listFiles'], { cwd: root }));
    }
    const lines = results.flatMap(({ output }) => output.split('\n'));
    const own = lines.filter((line) => path.isAbsolute(line) && !line.includes('/node_modules/'));
    const problems = lines.filter((line) => !path.isAbsolute(line)).join('\n');
    return verdict(
      results.every(({ code }) => code === 0),
      own.length,
      problems,
    );
  },
};
