import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { below } from '../harness/goals.mjs';
import { alternate, median, spread } from '../harness/stats.mjs';
import { fixed } from '../harness/table.mjs';

const run = promisify(execFile);
const HALE = fileURLToPath(new URL('../../dist/cli/bin.cjs', import.meta.url));

/** What `hale probe` costs an exec probe or a HEALTHCHECK, against an empty Node.js program. */
export async function measure({ quick, numbers }) {
  const { rounds = quick ? 3 : 30 } = numbers;
  const server = createServer((_request, response) => response.end('{"status":"pass"}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  try {
    const raw = await measureRuns(programs(port), rounds);
    const results = Object.keys(programs(port)).map((name) => summarize(name, raw));
    return { tables: [toTable(results)], judgements: judge(results, numbers), raw };
  } finally {
    server.close();
  }
}

/** `--help` loads everything that a probe over HTTP loads, and asks nobody. */
function programs(port) {
  return {
    empty: ['-e', '0'],
    start: [HALE, 'probe', '--help'],
    probe: [HALE, 'probe', `127.0.0.1:${port}`],
  };
}

async function measureRuns(commands, rounds) {
  const runs = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, args] of alternate(Object.entries(commands), round)) {
      const from = performance.now();
      await run(process.execPath, args);
      runs.push({ name, ms: performance.now() - from });
    }
  }
  return runs;
}

function summarize(name, runs) {
  const times = runs.filter((one) => one.name === name).map(({ ms }) => ms);
  return { name, ms: median(times), spread: spread(times) };
}

function judge(results, numbers) {
  const [empty, start, probe] = results;
  const goal = numbers['goal-start'] ?? 1.3;
  return [
    below('start of hale probe over node -e 0', start.ms / empty.ms, goal, '×'),
    below('a whole probe over node -e 0', probe.ms / empty.ms, goal, '×'),
  ];
}

function toTable(results) {
  const rows = results.map(({ name, ms, spread: width }) => [
    name,
    `${fixed(ms, 1)} ± ${fixed(width / 2, 1)}`,
    fixed(ms / results[0].ms, 2),
  ]);
  return { title: 'hale probe, whole process', head: ['program', 'ms', 'over empty'], rows };
}
