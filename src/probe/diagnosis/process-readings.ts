import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { Board } from '../../core/board.js';
import { readMemoryLimit } from '../../core/cgroup-files.js';
import type { Clock } from '../../core/clock.js';
import type { ProcessDiagnosis } from '../../core/diagnosis.js';
import { histogramCount } from '../../core/histogram.js';
import type { MainReadings } from './main-readings.js';
import type { Moment } from './moment.js';
import { createSampleRing } from './sample-ring.js';

/** The process as this thread sees it, also while the main loop stands still, and as the main loop told of itself. */
export interface ProcessReadings {
  /** Takes one sample for the series. */
  sample(moment: Moment): void;
  read(moment: Moment): ProcessDiagnosis;
}

export interface ProcessReadingsOptions {
  readonly board: Board;
  readonly clock: Pick<Clock, 'now'>;
  readonly main: Pick<MainReadings, 'read'>;
  readonly beatMs: number;
  /** Whether this thread runs beside the main loop, and so can see it stand still. */
  readonly watchesLoop: boolean;
  readonly loopStalled: () => boolean;
}

/** The limit of a running container can change, but not from one look to the next. */
const LIMIT_HOLDS_MS = 30_000;
/** Samples farther apart are not of one series. */
const LONGEST_GAP_MS = 5000;

/** Creates it without a sample. */
export function createProcessReadings(options: ProcessReadingsOptions): ProcessReadings {
  const { board, main, beatMs, watchesLoop, loopStalled } = options;
  const ring = createSampleRing();
  const memoryLimit = createMemoryLimit();
  let delays: { count: number; sum: number; at: number } | undefined;

  /** How late the beats since the last sample came; how much the next is overdue, where there was none. */
  function loopDelayMs(now: number): number {
    const view = board.loopDelays();
    const count = histogramCount(view);
    // The beats since somebody last looked, a while ago, are not of this moment.
    const before = delays !== undefined && now - delays.at < LONGEST_GAP_MS ? delays : undefined;
    const beats = count - (before?.count ?? count);
    const late = before === undefined || beats === 0 ? 0 : (1000 * (view.sum - before.sum)) / beats;
    delays = { count, sum: view.sum, at: now };
    const beatAt = board.loopBeatAt();
    const overdue = beatAt === 0 ? 0 : now - beatAt - beatMs;
    return Math.max(0, Math.round(10 * Math.max(late, overdue)) / 10);
  }

  return {
    sample({ now, wallNow }) {
      const { heapUsedBytes, utilisation } = main.read(now) ?? {};
      ring.add({
        wallAt: wallNow,
        rssBytes: process.memoryUsage.rss(),
        inFlight: board.inFlight(),
        loopDelayMs: loopDelayMs(now),
        heapUsedBytes,
        utilisation,
      });
    },
    read({ now }) {
      const beatAt = board.loopBeatAt();
      const evaluatedAt = board.evaluatedAt();
      const told = main.read(now);
      const age = (at: number): number => Math.max(0, Math.round(now - at));
      return {
        rssBytes: process.memoryUsage.rss(),
        memoryLimitBytes: memoryLimit(now),
        ...(watchesLoop && beatAt > 0 ? { loopBeatAgeMs: age(beatAt) } : {}),
        loopStalled: loopStalled(),
        inFlight: board.inFlight(),
        ...(evaluatedAt > 0 ? { snapshotAgeMs: age(evaluatedAt) } : {}),
        ...(told === undefined ? {} : { main: told }),
        series: ring.series(),
      };
    },
  };
}

/** The limit of the container, or the memory of the machine where there is none. */
function createMemoryLimit(): (now: number) => number {
  let readAt = -Infinity;
  let limit = 0;
  return (now) => {
    if (now - readAt < LIMIT_HOLDS_MS) return limit;
    readAt = now;
    const machine = totalmem();
    limit = Math.min(readMemoryLimit((file) => readFileSync(file, 'utf8')) ?? machine, machine);
    return limit;
  };
}
