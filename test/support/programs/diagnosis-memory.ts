import { createBoard } from '../../../src/core/board.js';
import type { Clock } from '../../../src/core/clock.js';
import type { CheckView, LastOutcome } from '../../../src/core/probe-state.js';
import { createRunHistory } from '../../../src/core/run-history.js';
import { createDiagnostician } from '../../../src/probe/diagnosis/diagnosis.js';
import { atOnce, createPace } from '../../../src/probe/pace.js';
import { createProbeModel } from '../../../src/probe/probe-model.js';
import { renderPage } from '../../page/rendered.js';

/*
 * Feeds a day of runs to the diagnosis in virtual time and tells what it cost. Needs --expose-gc.
 */

const CHECKS = 50;
const EVERY_MS = 5000;
const DAY_MS = 86_400_000;
const BEGIN = Date.UTC(2026, 0, 1);

let now = 1000;
const clock: Clock = {
  now: () => now,
  wallNow: () => BEGIN + now,
  setTimeout: () => ({ clear() {} }),
};

function usedBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function views(run: number): CheckView[] {
  return Array.from({ length: CHECKS }, (_, index) => {
    const status = run % 7 === 0 ? 'fail' : 'pass';
    const last: LastOutcome = {
      status,
      output: `output ${index}`,
      wallAt: BEGIN + now,
      durationMs: 4.5 + index,
    };
    return {
      name: `check-${index}`,
      impact: 'critical',
      verdict: status,
      freshUntil: now + 18_000,
      ranAt: now,
      component: { componentType: 'component' },
      last,
      runs: run,
      abandoned: 0,
      hanging: 0,
      transitions: 0,
    };
  });
}

async function main(): Promise<void> {
  const board = createBoard();
  const options = {
    isolation: 'thread',
    listener: false,
    diagnostic: false,
    paths: { liveness: [], readiness: [], startup: [] },
    details: false,
    warnStatus: 200,
    staleAfterMs: 10_000,
    stallAfterMs: 5000,
    beatMs: 500,
    onDemandWaitMs: 1500,
  } as const;
  const hooks = { onStall() {}, onStallEnd() {}, onLivenessFailed() {} };
  const model = createProbeModel({ board, clock, probes: options, watchesLoop: true, hooks });
  model.apply({ checks: views(1) });
  const before = usedBytes();
  const diagnosis = createDiagnostician({
    board,
    clock,
    model,
    options,
    watchesLoop: true,
    pace: createPace(clock),
    redact: (text) => text,
    sampleMain: () => new Promise(() => {}),
    onError(error) {
      throw error;
    },
  });
  const startedAt = process.hrtime.bigint();
  for (let run = 2; now < DAY_MS; run += 1) {
    now += EVERY_MS;
    board.beatLoop(now);
    board.setEvaluatedAt(now);
    const update = { checks: views(run) };
    model.apply(update);
    diagnosis.apply(update);
  }
  const fedMs = Number(process.hrtime.bigint() - startedAt) / 1e6;
  const bytes = usedBytes() - before;
  const looked = look(diagnosis);
  const bytesAfterLook = usedBytes() - before;
  process.send?.({
    event: 'measured',
    bytes,
    bytesAfterLook,
    fedMs,
    ...looked,
    bytesPerRun: bytesPerRun(),
  });
  // Still referenced while it was measured.
  diagnosis.close();
}

/** Makes the report and the page once, of which nothing may stay but the page's assets. */
function look(diagnosis: Pick<ReturnType<typeof createDiagnostician>, 'document'>) {
  const documentAt = process.hrtime.bigint();
  const document = atOnce(diagnosis.document());
  const { length } = JSON.stringify(document);
  const documentMs = Number(process.hrtime.bigint() - documentAt) / 1e6;
  return {
    documentMs,
    length,
    pageLength: renderPage(document).body.length,
    steps: document.checks[0]?.history.length,
    recent: document.checks[0]?.recent.length,
    timeline: document.timeline.length,
  };
}

/** What one more run leaves on the heap before any collection. */
function bytesPerRun(): number {
  const history = createRunHistory();
  const runs = 200_000;
  const feed = (): void => {
    for (let run = 0; run < runs; run += 1) history.record(BEGIN + run, 4, 'pass');
  };
  feed();
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  feed();
  return (process.memoryUsage().heapUsed - before) / runs;
}

await main();
process.disconnect?.();
