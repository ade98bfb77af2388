import { untilAborted } from '../core/abort.js';
import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import type { Clock } from '../core/clock.js';
import { HaleError, OptionError, describe } from '../core/errors.js';
import { type Limits, limitsAbove, statusAbove, worstStatus } from '../core/limits.js';
import { createRoundTrip } from '../core/round-trip.js';
import { functionOption } from '../core/validate.js';

/** What waits in a queue. */
export interface QueueDepth {
  /** How many wait. */
  readonly depth: number;
  /** How long the oldest has been waiting, in milliseconds; left out when nothing waits or nobody knows. */
  readonly oldestAgeMs?: number | undefined;
}

/** Options of {@link queueDepth} and {@link bullmqQueueDepth}; at least one limit must be given. */
export interface QueueDepthOptions extends CheckOptions {
  /** Warns when more wait. @defaultValue Infinity */
  warnDepth?: number;
  /** Fails when more wait. @defaultValue Infinity */
  failDepth?: number;
  /** Warns when the oldest has waited longer, in milliseconds. @defaultValue Infinity */
  warnOldestMs?: number;
  /** Fails when the oldest has waited longer, in milliseconds. @defaultValue Infinity */
  failOldestMs?: number;
}

/**
 * Looks at how much waits in a queue, as a function of yours tells.
 *
 * - pass: no limit is exceeded.
 * - warn: more wait than `warnDepth` (`queue_long`), or the oldest for longer than `warnOldestMs` (`queue_old`).
 * - fail: the same with `failDepth` and `failOldestMs`; the function threw or gave no number, or no answer before the
 *   timeout.
 *
 * Suggested impact: `degraded` or `optional`: a worker that stops working shortens no queue. Cost: one call per run.
 * @throws OptionError (`HALE_OPTION_INVALID`) without a limit or for one out of range
 */
export function queueDepth(
  read: (signal: AbortSignal) => QueueDepth | number | Promise<QueueDepth | number>,
  options: QueueDepthOptions,
): Check {
  functionOption('queueDepth.read', read);
  const ask: Read = (signal, _clock, noAnswer) =>
    untilAborted((async () => read(signal))(), signal, noAnswer);
  return queueCheck('queueDepth', ask, options);
}

/** The part of a `Queue` of bullmq (5, 6) that {@link bullmqQueueDepth} uses. */
export interface BullQueueLike {
  getJobCounts(...types: ('waiting' | 'prioritized')[]): Promise<Record<string, number>>;
  getWaiting(start: number, end: number): Promise<readonly (BullWaitingJobLike | undefined)[]>;
}

/** The part of a `Job` of bullmq that {@link bullmqQueueDepth} reads. */
export interface BullWaitingJobLike {
  /** When it was added, in milliseconds since the epoch. */
  readonly timestamp: number;
  readonly opts?: { readonly delay?: number | undefined };
}

/**
 * Asks a BullMQ queue how many jobs wait to be taken (also while it is paused; delayed ones do not) and, when
 * there is a limit for it, how long the next one has waited. Meaning of pass, warn and fail as for {@link queueDepth}.
 *
 * Suggested impact: `degraded` or `optional`. Cost: one command to Redis per run, two with a limit for the age; on the
 * queue's own connection. While Redis does not answer, no further one is sent.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no queue, without a limit or for one out of range
 */
export function bullmqQueueDepth(queue: BullQueueLike, options: QueueDepthOptions): Check {
  if (typeof queue?.getJobCounts !== 'function' || typeof queue.getWaiting !== 'function') {
    throw new OptionError('bullmqQueueDepth.queue', 'a Queue of bullmq', queue);
  }
  const { warnOldestMs = Infinity, failOldestMs = Infinity } = options ?? {};
  const needsAge = warnOldestMs !== Infinity || failOldestMs !== Infinity;
  const roundTrip = createRoundTrip((asked: BullQueueLike) =>
    Promise.all([
      // Where a paused queue keeps its jobs apart (bullmq 5), `waiting` counts those too.
      asked.getJobCounts('waiting', 'prioritized'),
      // In the order in which they are taken.
      needsAge ? asked.getWaiting(0, 0) : [],
    ]),
  );
  const read: Read = async (signal, clock, noAnswer) => {
    const [counts, next] = await roundTrip(queue, signal, noAnswer);
    const depth = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { depth, oldestAgeMs: ageOf(next[0], clock.wallNow()) };
  };
  return queueCheck('bullmqQueueDepth', read, options);
}

function ageOf(job: BullWaitingJobLike | undefined, wallNow: number): number | undefined {
  if (job === undefined) return undefined;
  // Another machine's clock may be ahead of this one.
  return Math.max(0, wallNow - job.timestamp - (job.opts?.delay ?? 0));
}

type Read = (
  signal: AbortSignal,
  clock: Clock,
  noAnswer: () => Error,
) => Promise<QueueDepth | number>;

interface QueueLimits {
  readonly depth: Limits;
  readonly age: Limits;
}

function queueCheck(name: string, read: Read, options: QueueDepthOptions = {}): Check {
  const { warnDepth, failDepth, warnOldestMs, failOldestMs, ...checkOptions } = options;
  const limits = checkLimits(name, { warnDepth, failDepth, warnOldestMs, failOldestMs });
  let clock: Clock | undefined;
  return {
    componentType: 'component',
    measurement: 'queueDepth',
    impact: 'degraded',
    ...checkOptions,
    start: (context) => {
      clock = context.clock;
    },
    run: async (signal) => {
      if (clock === undefined)
        throw new HaleError('HALE_STATE', `${name} runs only after its start()`);
      signal.throwIfAborted();
      const noAnswer = () => new Error('the queue did not say its depth', { cause: signal.reason });
      return judge(checkDepth(await read(signal, clock, noAnswer)), limits);
    },
  };
}

type LimitOptions = {
  [K in 'warnDepth' | 'failDepth' | 'warnOldestMs' | 'failOldestMs']: number | undefined;
};

function checkLimits(name: string, given: LimitOptions): QueueLimits {
  if (Object.values(given).every((limit) => limit === undefined)) {
    const accepted = 'given, or failDepth, warnOldestMs or failOldestMs';
    throw new OptionError(`${name}.warnDepth`, accepted, undefined);
  }
  const pair = (warn: keyof LimitOptions, fail: keyof LimitOptions) =>
    limitsAbove(
      { warn: `${name}.${warn}`, fail: `${name}.${fail}` },
      { warn: given[warn] ?? Infinity, fail: given[fail] ?? Infinity },
    );
  return { depth: pair('warnDepth', 'failDepth'), age: pair('warnOldestMs', 'failOldestMs') };
}

function checkDepth(read: QueueDepth | number): QueueDepth {
  const queue = typeof read === 'number' ? { depth: read } : read;
  for (const figure of [queue?.depth, queue?.oldestAgeMs ?? 0]) {
    // A comparison with NaN would pass for ever.
    if (typeof figure !== 'number' || Number.isNaN(figure)) {
      throw new Error(`the depth of a queue must be a number, got ${describe(read)}`);
    }
  }
  return queue;
}

function judge({ depth, oldestAgeMs }: QueueDepth, limits: QueueLimits): CheckResult {
  const byDepth = statusAbove(depth, limits.depth);
  const byAge = statusAbove(oldestAgeMs ?? 0, limits.age);
  const status = worstStatus([byDepth, byAge]);
  const observedValue = { depth, oldestAgeMs: oldestAgeMs ?? null };
  if (status === 'pass') return { status, observedValue };
  const code = byDepth === status ? 'queue_long' : 'queue_old';
  const age = oldestAgeMs === undefined ? '' : `, the oldest for ${Math.round(oldestAgeMs)} ms`;
  return { status, code, output: `${depth} wait${age}`, observedValue };
}
