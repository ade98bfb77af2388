import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { below } from '../harness/goals.mjs';
import { benchFile, startProcess, withSubject } from '../harness/process.mjs';
import { alternate, median, spread } from '../harness/stats.mjs';
import { fixed } from '../harness/table.mjs';

const run = promisify(execFile);
const CHECKS = 10;
/**
 * Until V8 has done what it does once after a start: it compiles, and its memory reducer collects the whole heap of each
 * thread up to three times, 8 s apart. One of those on the probe thread alone is 0.1 % of a core over 20 s.
 */
const SETTLE_MS = 30_000;

/** What it costs to have hale in a program that does nothing else. */
export async function measure(options) {
  const { quick, numbers } = options;
  const { rounds = quick ? 1 : 3, duration = quick ? 2 : 20 } = numbers;
  const subjects = options.subjects ?? ['hale', 'thread', 'floor'];
  const starts = quick ? 3 : 15;
  const imports = await measureImports(starts);
  const firstAnswers = await measureFirstAnswers(subjects, starts);
  const idles = await measureIdles(subjects, {
    rounds,
    duration,
    settleMs: quick ? 1000 : SETTLE_MS,
  });
  const raw = { imports, firstAnswers, idles };
  const results = subjects.map((name) => summarize(name, raw));
  return { tables: [toTable(results, duration)], judgements: judge(results, numbers), raw };
}

/** hale's, and that of `node:http` alone: what any program that answers HTTP has to pay. */
async function measureImports(times) {
  const modules = { hale: 'hale', thread: 'node:worker_threads', floor: 'node:http' };
  const runs = [];
  for (let round = 0; round < times; round += 1) {
    for (const [name, specifier] of alternate(Object.entries(modules), round)) {
      const { stdout } = await run(process.execPath, [
        benchFile('subjects/import-time.mjs'),
        specifier,
      ]);
      runs.push({ name, ms: Number(stdout) });
    }
  }
  return runs;
}

async function measureFirstAnswers(subjects, times) {
  const runs = [];
  for (let round = 0; round < times; round += 1) {
    for (const name of alternate(subjects, round)) runs.push(await firstAnswer(name));
  }
  return runs;
}

/** From the call that creates and starts the subject, its modules loaded, to the first answer with status 200. */
async function firstAnswer(name) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/livez`;
  const client = startProcess('clients/first-answer.mjs', { url, timeoutMs: 10_000 });
  try {
    await client.nextLine();
    const spawnedAtNs = process.hrtime.bigint();
    return await withSubject(name, { port, checks: CHECKS }, async ({ startedAtNs }) => {
      const answeredAtNs = BigInt((await client.nextLine()).answeredAtNs);
      const since = (ns) => Number(answeredAtNs - ns) / 1e6;
      return { name, ms: since(startedAtNs), fromSpawnMs: since(spawnedAtNs) };
    });
  } finally {
    await client.stop();
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function measureIdles(subjects, { rounds, duration, settleMs }) {
  const runs = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const name of alternate(subjects, round)) {
      runs.push(await idle(name, { durationMs: duration * 1000, settleMs }));
    }
  }
  return runs;
}

async function idle(name, { durationMs, settleMs }) {
  return await withSubject(name, { checks: CHECKS, usedHeap: true }, async ({ sample }) => {
    await sleep(settleMs);
    const before = await sample();
    const from = performance.now();
    await sleep(durationMs);
    const after = await sample();
    const elapsedUs = (performance.now() - from) * 1000;
    return { name, cpuPercent: ((after.cpuUs - before.cpuUs) / elapsedUs) * 100, rss: after.rss };
  });
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function summarize(name, { imports, firstAnswers, idles }) {
  const of = (runs, key) => runs.filter((run) => run.name === name).map((run) => run[key]);
  const own = {
    importMs: of(imports, 'ms'),
    firstAnswerMs: of(firstAnswers, 'ms'),
    fromSpawnMs: of(firstAnswers, 'fromSpawnMs'),
    cpuPercent: of(idles, 'cpuPercent'),
    rssMb: of(idles, 'rss').map((bytes) => bytes / 1e6),
  };
  const entries = Object.entries(own);
  return {
    name,
    ...Object.fromEntries(entries.map(([key, values]) => [key, median(values)])),
    spreads: Object.fromEntries(entries.map(([key, values]) => [key, spread(values)])),
  };
}

function judge(results, numbers) {
  const hale = results.find(({ name }) => name === 'hale');
  const floor = results.find(({ name }) => name === 'floor');
  if (!hale || !floor) return [];
  const goal = (name, value) => numbers[`goal-${name}`] ?? value;
  return [
    below('import', hale.importMs, goal('import', 15), 'ms'),
    below('start to first answered probe', hale.firstAnswerMs, goal('first-answer', 80), 'ms'),
    below(`CPU with ${CHECKS} checks`, hale.cpuPercent, goal('idle-cpu', 0.2), '% of a core'),
    below('memory over bare node:http', hale.rssMb - floor.rssMb, goal('memory', 14), 'MB'),
  ];
}

function toTable(results, duration) {
  const head = [
    'subject',
    'import ms',
    'start to answer ms',
    'spawn to answer ms',
    'CPU %',
    'RSS MB',
  ];
  const rows = results.map((result) => [
    result.name,
    withSpread(result, 'importMs', 1),
    withSpread(result, 'firstAnswerMs', 1),
    withSpread(result, 'fromSpawnMs', 0),
    withSpread(result, 'cpuPercent', 3),
    withSpread(result, 'rssMb', 1),
  ]);
  return {
    title: `Idle for ${duration} s, ${CHECKS} checks (median ± half the spread)`,
    head,
    rows,
  };
}

function withSpread(result, key, digits) {
  return `${fixed(result[key], digits)} ± ${fixed(result.spreads[key] / 2, digits)}`;
}
