import { readdirSync } from 'node:fs';
import path from 'node:path';
import table from '../folder-table.cjs';
import { parseJson, verdict } from '../lib/gate.mjs';
import { bin, run } from '../lib/run.mjs';

/**
 * @typedef {object} Cruise
 * @property {{ totalCruised: number, violations: Violation[] }} summary
 * @typedef {{ from: string, to: string, rule: { name: string }, comment?: string }} Violation
 */

/** @type {import('../lib/gate.mjs').Gate} */
export const dependencies = {
  name: 'folder table (dependency-cruiser)',
  async run(root) {
    const args = ['src', '--config', '.dependency-cruiser.cjs', '--output-type', 'json'];
    const result = await run(bin('depcruise'), args, { cwd: root });
    const cruise = /** @type {Cruise | undefined} */ (parseJson(result.stdout));
    if (cruise === undefined) return verdict(false, 0, result.output);
    const problems = [
      ...unknownFolders(root),
      ...cruise.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
    ];
    return verdict(problems.length === 0, cruise.summary.totalCruised, problems.join('\n'));
  },
};

/** @param {string} root */
function unknownFolders(root) {
  return readdirSync(path.join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !table.folders.includes(entry.name))
    .map((entry) => `table-unknown: src/${entry.name} is not in tools/folder-table.cjs`);
}
