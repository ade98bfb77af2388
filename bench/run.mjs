import { writeFileSync } from 'node:fs';
import { parseOptions } from './harness/options.mjs';
import { formatTable } from './harness/table.mjs';

const SCENARIOS = ['busy-loop', 'throughput', 'idle', 'probe-command'];
const USAGE = `npm run bench -- ${SCENARIOS.join('|')} [--quick] [--json FILE] [--rounds N] [--duration S]
  [--subjects hale,floor,…] [--loads 0,50/20,90/200,…] [--goal-<name> N]
Exit code: 0 every goal met, 1 a goal missed, 2 the measurement failed.`;

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}

async function main() {
  const options = parseOptions(process.argv.slice(2));
  if (!SCENARIOS.includes(options.scenario)) {
    console.error(USAGE);
    return 2;
  }
  const scenario = await import(`./scenarios/${options.scenario}.mjs`);
  const { tables, judgements, raw } = await scenario.measure(options);
  for (const { title, head, rows } of tables) {
    console.log(`\n${title}\n\n${formatTable(head, rows)}`);
  }
  if (options.json) writeJson(options, judgements, tables, raw);
  if (judgements.length === 0)
    throw new Error('nothing was judged: no goal applies to these subjects');
  printJudgements(judgements);
  return judgements.every(({ met }) => met) ? 0 : 1;
}

function printJudgements(judgements) {
  const rows = judgements.map(({ what, goal, got, met }) => [
    what,
    goal,
    got,
    met ? 'met' : 'MISSED',
  ]);
  console.log(`\nGoals\n\n${formatTable(['', 'goal', 'measured', ''], rows)}`);
}

function writeJson(options, judgements, tables, raw) {
  const report = {
    scenario: options.scenario,
    quick: options.quick,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    judgements,
    tables,
    raw,
  };
  writeFileSync(options.json, `${JSON.stringify(report)}\n`);
}
