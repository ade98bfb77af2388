import { atLeast, below } from '../harness/goals.mjs';
import { watchOthers } from '../harness/machine-cpu.mjs';
import { runClient, withSubject } from '../harness/process.mjs';
import { alternate, median, quantile } from '../harness/stats.mjs';
import { fixed } from '../harness/table.mjs';

const PEERS = ['terminus', 'lightship', 'under-pressure', 'nest-terminus'];
const SUBJECTS = ['hale', 'noise', 'floor', ...PEERS];
const LOADS = ['0', '50/20', '50/200', '50/1000', '90/20', '90/200', '90/1000'];
const COMPARED_AT = '90/200';
const EVERY_MS = 25;
/** Long enough to see the whole wait behind blocks of a second; a kubelet would have given up after one. */
const TIMEOUT_MS = 5000;
const KUBELET_TIMEOUT_MS = 1000;

/** Probe latency while the main loop is busy. */
export async function measure(options) {
  const { rounds = options.quick ? 1 : 3, duration = options.quick ? 2 : 10 } = options.numbers;
  const loads = options.loads ?? (options.quick ? ['0', COMPARED_AT] : LOADS);
  const subjects = options.subjects ?? (options.quick ? ['hale', 'noise', 'floor'] : SUBJECTS);
  const runs = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const load of alternate(loads, round)) {
      for (const name of alternate(subjects, round)) {
        runs.push(await run({ name, load, round, duration }));
        console.error(describe(runs.at(-1)));
      }
    }
  }
  const cells = summarize(runs, subjects, loads);
  return { tables: toTables(cells, loads), judgements: judge(cells, options.numbers), raw: runs };
}

async function run({ name, load, round, duration }) {
  const count = Math.round((duration * 1000) / EVERY_MS);
  const probing = { everyMs: EVERY_MS, warmUp: 1000 / EVERY_MS, count, timeoutMs: TIMEOUT_MS };
  return await withSubject(name, parseLoad(load), async ({ pid, probeUrl }) => {
    const othersPercent = watchOthers(pid);
    const result = await runClient('clients/prober.mjs', { url: probeUrl, ...probing });
    return { name, load, round, othersPercent: othersPercent(), ...result };
  });
}

/** `90/200` is 90 % busy in blocks of 200 ms. */
export function parseLoad(load) {
  if (load === '0') return { busyShare: 0, blockMs: 0 };
  const [, percent, blockMs] = /^(\d{1,2})\/(\d+)$/.exec(load) ?? [];
  if (!(percent > 0 && blockMs > 0)) {
    throw new RangeError(`--loads: 0 or <1–99 % busy>/<block ms> expected, got "${load}"`);
  }
  return { busyShare: percent / 100, blockMs: Number(blockMs) };
}

function summarize(runs, subjects, loads) {
  return loads.flatMap((load) =>
    subjects.map((name) =>
      cell(
        load,
        name,
        runs.filter((r) => r.name === name && r.load === load),
      ),
    ),
  );
}

/** p50 and p99 are medians over the rounds; p99.9 needs more probes than one round has and pools them. */
function cell(load, name, runs) {
  const pooled = runs.flatMap(({ latenciesMs }) => latenciesMs);
  const over = (share) => median(runs.map(({ latenciesMs }) => quantile(latenciesMs, share)));
  const slow = pooled.filter((ms) => ms > KUBELET_TIMEOUT_MS).length;
  const good = runs.reduce((sum, { statuses }) => sum + (statuses['200'] ?? 0), 0);
  return {
    load,
    name,
    p50: over(0.5),
    p99: over(0.99),
    p999: quantile(pooled, 0.999),
    max: Math.max(...pooled),
    slowShare: slow / pooled.length,
    failed: pooled.length - good,
    othersPercent: median(runs.map((run) => run.othersPercent)),
    lateP99: median(runs.map(({ lateMs }) => quantile(lateMs, 0.99))),
  };
}

function judge(cells, numbers) {
  const { 'goal-p99': p99 = 15, 'goal-times-better': times = 20 } = numbers;
  const at = (load, name) => cells.find((cell) => cell.load === load && cell.name === name);
  const hale = cells.filter(({ name }) => name === 'hale');
  const own = hale.flatMap((own) => [
    below(`hale p99 at ${own.load}${beside(at(own.load, 'noise'))}`, own.p99, p99, 'ms'),
    below(`hale probes not answered 200 at ${own.load}`, own.failed, 1, 'probes'),
  ]);
  const reference = at(COMPARED_AT, 'hale');
  if (!reference) return own;
  const peers = PEERS.map((name) => at(COMPARED_AT, name)).filter(Boolean);
  return [
    ...own,
    ...peers.map((peer) =>
      atLeast(
        `${peer.name} p99 / hale p99 at ${COMPARED_AT}`,
        peer.p99 / reference.p99,
        times,
        '×',
      ),
    ),
  ];
}

/** A goal missed while the machine alone misses it as well says nothing about hale, and the reader must see it. */
function beside(noise) {
  return noise ? ` (machine alone ${fixed(noise.p99)} ms)` : '';
}

function toTables(cells, loads) {
  const head = [
    'subject',
    'p50',
    'p99',
    'p99.9',
    'max',
    '> 1 s',
    'failed',
    '× hale p99',
    'prober late p99',
    'others',
  ];
  return loads.map((load) => {
    const here = cells.filter((cell) => cell.load === load);
    const hale = here.find(({ name }) => name === 'hale');
    const title =
      load === '0'
        ? 'Main loop idle (ms)'
        : `Main loop busy ${load.replace('/', ' %, blocks of ')} ms (ms)`;
    return { title, head, rows: here.map((cell) => toRow(cell, hale)) };
  });
}

function toRow(cell, hale) {
  const times = hale ? fixed(cell.p99 / hale.p99) : '';
  const { name, p50, p99, p999, max, slowShare, failed, lateP99, othersPercent } = cell;
  const ms = [p50, p99, p999, max].map((value) => fixed(value));
  return [
    name,
    ...ms,
    `${fixed(slowShare * 100)} %`,
    String(failed),
    times,
    fixed(lateP99),
    `${fixed(othersPercent, 0)} %`,
  ];
}

function describe({ name, load, round, latenciesMs, othersPercent }) {
  const [p50, p99] = [0.5, 0.99].map((share) => fixed(quantile(latenciesMs, share)));
  return `round ${round + 1}  ${load.padEnd(8)}${name.padEnd(16)}p50 ${p50} ms  p99 ${p99} ms  others ${fixed(othersPercent, 0)} %`;
}
