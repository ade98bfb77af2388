import { createInterface } from 'node:readline';
import { PerformanceObserver } from 'node:perf_hooks';
import { keepBusy } from './busy.mjs';

/**
 * @typedef {{ probeUrl: string, dispose?: () => unknown }} Started
 * @typedef {{ port: number, busyShare: number, blockMs: number, checks: number, watchGc: boolean, usedHeap: boolean }} SubjectOptions
 */

/**
 * Runs one subject: starts it, prints one JSON line with its probe URL, keeps the main loop as busy as told,
 * answers `sample` lines on standard input, and ends when standard input closes.
 * @param {(options: SubjectOptions) => Promise<Started>} start
 */
export async function runSubject(start) {
  const options = readOptions();
  const collections = options.watchGc ? countCollections() : () => 0;
  const startedAtNs = process.hrtime.bigint();
  const { probeUrl, dispose } = await start(options);
  print({ event: 'ready', probeUrl, startedAtNs: String(startedAtNs) });
  if (options.usedHeap) makeGarbage();
  keepBusy(options);
  const lines = createInterface({ input: process.stdin });
  lines.on('line', () => print({ event: 'sample', ...sample(), collections: collections() }));
  lines.on('close', () => void end(dispose));
}

async function end(dispose) {
  // A subject that does not stop by itself must not hold up the run.
  setTimeout(() => process.exit(0), 2000);
  await dispose?.();
  process.exit(0);
}

/**
 * Garbage of some 60 MB, as any service has made after its first requests: the collector has run, its threads and the
 * young generation have their size. Without it the one subject that happens to reach its first collection while it is
 * measured pays 4.5 MB for it that every service pays.
 */
function makeGarbage() {
  let kept = 0;
  for (let count = 0; count < 400_000; count += 1) {
    const item = { count, pair: [count, count + 1] };
    kept += item.pair.length;
  }
  return kept;
}

/** @returns {SubjectOptions} */
function readOptions() {
  const defaults = {
    port: 0,
    busyShare: 0,
    blockMs: 0,
    checks: 0,
    watchGc: false,
    usedHeap: false,
  };
  return { ...defaults, ...JSON.parse(process.argv[2] ?? '{}') };
}

function sample() {
  const { user, system } = process.cpuUsage();
  const { heapUsed, rss } = process.memoryUsage();
  const { active } = performance.eventLoopUtilization();
  return { cpuUs: user + system, activeMs: active, heapUsed, rss };
}

/** Counts garbage collections of the main thread's heap. */
function countCollections() {
  let count = 0;
  new PerformanceObserver((list) => (count += list.getEntries().length)).observe({
    entryTypes: ['gc'],
  });
  return () => count;
}

/** @param {unknown} message */
function print(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
