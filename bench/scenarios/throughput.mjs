import { atLeast, below } from '../harness/goals.mjs';
import { runClient, withSubject } from '../harness/process.mjs';
import { recordReply } from '../harness/recorded-reply.mjs';
import { alternate, median, spread } from '../harness/stats.mjs';
import { fixed } from '../harness/table.mjs';
import { mainThreadCpuUs } from '../harness/thread-cpu.mjs';

const CLIENT = 'clients/keep-alive-client.mjs';
/** By default V8 also collects when it is idle, 8 s after a start: without that, only allocation collects. */
const NODE_FLAGS = ['--no-memory-reducer'];

/**
 * Probes per second against the floor, and what 50,000 of them cost the main thread, compared with an idle
 * period of the same length in the same process.
 */
export async function measure(options) {
  const { quick, numbers } = options;
  const { rounds = quick ? 1 : 5, count = quick ? 5000 : 50_000, connections = 16 } = numbers;
  const subjects = options.subjects ?? ['hale', 'floor'];
  const env = subjects.includes('hale') ? await recordReply() : {};
  const runs = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const name of alternate(subjects, round)) {
      runs.push(await run({ name, round, count, connections, env }));
      console.error(describe(runs.at(-1)));
    }
  }
  const results = subjects.map((name) => summarize(name, runs));
  return { tables: [toTable(results)], judgements: judge(results, numbers), raw: { env, runs } };
}

function run({ name, round, count, connections, env }) {
  const use = async (subject) => {
    const probe = (probes) =>
      runClient(CLIENT, { url: subject.probeUrl, connections, count: probes });
    const warmUp = await probe(Math.ceil(count / 2));
    const idle = () => sleep(warmUp.elapsedMs * 2);
    const load = () => probe(count);
    // In odd rounds the idle period comes last, so that a heap that is still settling favours neither.
    const idleFirst = round % 2 === 0;
    const first = await observe(subject, idleFirst ? idle : load);
    const second = await observe(subject, idleFirst ? load : idle);
    const [quiet, loaded] = idleFirst ? [first, second] : [second, first];
    if (loaded.outcome.answered !== count || loaded.outcome.failed > 0) {
      throw new Error(`${name} answered ${JSON.stringify(loaded.outcome)} of ${count} probes`);
    }
    return { name, round, count, idle: quiet, loaded };
  };
  return withSubject(name, { watchGc: true }, use, { env, nodeFlags: NODE_FLAGS });
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What a process used during one period. */
async function observe(subject, period) {
  const before = await subject.sample();
  const mainBefore = mainThreadCpuUs(subject.pid);
  const from = performance.now();
  const outcome = await period();
  const elapsedMs = performance.now() - from;
  const mainUs = mainThreadCpuUs(subject.pid) - mainBefore;
  const after = await subject.sample();
  return {
    outcome,
    elapsedMs,
    mainUs,
    processUs: after.cpuUs - before.cpuUs,
    collections: after.collections - before.collections,
    allocated: after.heapUsed - before.heapUsed,
  };
}

function summarize(name, runs) {
  const own = runs.filter((run) => run.name === name);
  const over = (pick) => own.map(pick);
  // The idle period is not exactly as long as the loaded one; a steady cost grows with time.
  const idleOver = (key) =>
    over(({ idle, loaded }) => (idle[key] * loaded.elapsedMs) / idle.elapsedMs);
  const idleMain = idleOver('mainUs');
  const idleHeap = idleOver('allocated');
  const count = own[0].count;
  return {
    name,
    count,
    perSecond: median(over(({ loaded }) => (count / loaded.outcome.elapsedMs) * 1000)),
    processUs: median(over(({ loaded }) => loaded.processUs / count)),
    mainUs: median(over(({ loaded }) => loaded.mainUs)),
    idleMainUs: median(idleMain),
    idleMainSpreadUs: spread(idleMain),
    allocated: median(over(({ loaded }) => loaded.allocated)),
    idleAllocated: median(idleHeap),
    idleAllocatedSpread: spread(idleHeap),
    collections: median(over(({ loaded }) => loaded.collections)),
    idleCollections: median(over(({ idle }) => idle.collections)),
  };
}

function judge(results, numbers) {
  const hale = results.find(({ name }) => name === 'hale');
  const floor = results.find(({ name }) => name === 'floor');
  if (!hale || !floor) return [];
  const ratio = hale.perSecond / floor.perSecond;
  const goal = (name, value) => numbers[`goal-${name}`] ?? value;
  // 0.2 µs a probe is a tenth of what one empty timer costs; two bytes a probe is less than any object.
  const cpuNoise = Math.max(hale.idleMainSpreadUs, goal('main-cpu', 0.2) * hale.count);
  const heapNoise = Math.max(hale.idleAllocatedSpread, goal('main-garbage', 2) * hale.count);
  const extraMainUs = hale.mainUs - hale.idleMainUs;
  const extraBytes = hale.allocated - hale.idleAllocated;
  return [
    atLeast('probes per second, hale / floor', ratio, goal('throughput', 0.97), '×'),
    below(
      `main-thread CPU of ${hale.count} probes over idle`,
      extraMainUs / 1000,
      cpuNoise / 1000,
      'ms',
    ),
    below(
      `main-thread garbage of ${hale.count} probes over idle`,
      extraBytes / 1024,
      heapNoise / 1024,
      'KiB',
    ),
    below('main-thread collections over idle', hale.collections - hale.idleCollections, 1, ''),
  ];
}

function toTable(results) {
  const head = [
    'subject',
    'probes/s',
    'CPU/probe µs',
    'main ms',
    'main idle ms',
    'idle spread',
    'heap KiB',
    'heap idle',
    'gc',
    'gc idle',
  ];
  const rows = results.map((r) => [
    r.name,
    fixed(r.perSecond, 0),
    fixed(r.processUs),
    ...[r.mainUs, r.idleMainUs, r.idleMainSpreadUs].map((us) => fixed(us / 1000)),
    ...[r.allocated, r.idleAllocated].map((bytes) => fixed(bytes / 1024, 0)),
    ...[r.collections, r.idleCollections].map((times) => fixed(times, 0)),
  ]);
  return {
    title: `Throughput (medians; main and heap are the main thread's, per ${results[0].count} probes)`,
    head,
    rows,
  };
}

function describe({ name, round, count, loaded }) {
  const rate = fixed((count / loaded.outcome.elapsedMs) * 1000, 0);
  return `round ${round + 1}  ${name.padEnd(8)}${rate} probes/s  main ${fixed(loaded.mainUs / 1000)} ms`;
}
