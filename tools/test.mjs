import { buildAll } from './build.mjs';
import { gates } from './gates/index.mjs';
import { createSummary } from './lib/summary.mjs';
import { runProject } from './lib/vitest-project.mjs';
import { ROOT } from './lib/run.mjs';

const PARTS = ['gates', 'unit', 'types', 'servers', 'realtime'];

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
  if (parts.includes('gates')) await runGates(summary);
  if (parts.includes('servers') || parts.includes('realtime'))
    await summary.step('servers', startServers);
  for (const part of parts) await runProject(part, summary);
  process.exitCode = summary.finish();
}

/** @param {import('./lib/summary.mjs').Summary} summary */
async function runGates(summary) {
  for (const gate of gates) {
    await summary.gate(gate.name, () => gate.run(ROOT));
  }
}

async function startServers() {
  const { ensureServers } = await import('./ensure-servers.mjs');
  await ensureServers();
}

await main(process.argv.slice(2));
