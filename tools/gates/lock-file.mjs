import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseJson, verdict } from '../lib/gate.mjs';

const FEWEST_PACKAGES = 100;

/**
 * The lock file must work from any registry, so it records hashes and no download addresses.
 * @type {import('../lib/gate.mjs').Gate}
 */
export const lockFile = {
  name: 'lock file (no download addresses)',
  run(root) {
    const text = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
    return Promise.resolve(inspect(text));
  },
};

/** @param {string} text */
function inspect(text) {
  const lock = /** @type {{ packages?: Record<string, Locked> } | undefined} */ (parseJson(text));
  const packages = Object.entries(lock?.packages ?? {});
  const problems = packages
    .filter(([, locked]) => /^(?:https?|git)/.test(locked.resolved ?? ''))
    .map(([name]) => `${name} has a download address`);
  if (packages.length <= FEWEST_PACKAGES) {
    problems.push(`only ${packages.length} packages locked, more than ${FEWEST_PACKAGES} expected`);
  }
  return verdict(problems.length === 0, packages.length, problems.join('\n'));
}

/** @typedef {{ resolved?: string }} Locked */
