import { buildAll } from './build.mjs';
import { gates } from './gates/index.mjs';
import { types } from './gates/types.mjs';
import { createSummary } from './lib/summary.mjs';
import { runProject } from './lib/vitest-project.mjs';
import { ROOT, runQuietly } from './lib/run.mjs';

const PARTS = ['gates', 'types', 'unit', 'servers', 'realtime'];
const REAL_TIME = ['servers', 'realtime'];

/**
 * Runs the pyramid, or the parts named on the command line, and counts what happened.
 * @param {readonly string[]} asked
 */
async function main(asked) {
  const unknown = asked.filter((part) => !PARTS.includes(part));
  if (unknown.length > 0) {
    throw new Error(`unknown part ${unknown.join(', ')}; expected ${PARTS.join(', ')}`);
  }
  const parts = PARTS.filter((part) => asked.length === 0 || asked.includes(part));
  const summary = createSummary();
  await summary.step('build', () => buildAll());
  await Promise.all([compile(parts, summary), runGates(parts, summary)]);
  if (parts.includes('unit')) await runProject('unit', summary);
  if (parts.some((part) => REAL_TIME.includes(part))) await summary.step('servers', startServers);
  for (const part of REAL_TIME) if (parts.includes(part)) await runProject(part, summary);
  process.exitCode = summary.finish();
}

/**
 * The compiler is busy with one core for as long as the gates are with another.
 * @param {readonly string[]} parts
 * @param {import('./lib/summary.mjs').Summary} summary
 */
async function compile(parts, summary) {
  if (parts.includes('gates')) await summary.gate(types.name, () => types.run(ROOT));
  if (parts.includes('types')) await runProject('types', summary, runQuietly);
}

/**
 * @param {readonly string[]} parts
 * @param {import('./lib/summary.mjs').Summary} summary
 */
async function runGates(parts, summary) {
  if (!parts.includes('gates')) return;
  for (const gate of gates) {
    if (gate !== types) await summary.gate(gate.name, () => gate.run(ROOT));
  }
  await runProject('gates', summary);
}

async function startServers() {
  const { ensureServers } = await import('./ensure-servers.mjs');
  await ensureServers();
}

await main(process.argv.slice(2));
