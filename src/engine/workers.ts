import type { Clock, Random } from '../core/clock.js';
import { consumptionBlockedBy } from '../core/consumption.js';
import type { Decision } from '../core/decision.js';
import { OptionError } from '../core/errors.js';
import type { Logger } from '../core/logger.js';
import { durationOption, functionOption, nameOption, objectOption } from '../core/validate.js';
import type { WorkerAdapter, WorkerHandle, WorkerOptions } from '../core/worker.js';
import type { DrainHooks } from './drain-hooks.js';
import { settlesWithin } from './bounded.js';
import type { QueueProgress, QueueWatches } from './queue-progress.js';
import {
  type WorkerControl,
  type WorkerControlOptions,
  createWorkerControl,
} from './worker-control.js';

export interface WorkersOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly redact: (text: string) => string;
  readonly queues: QueueWatches;
  readonly hooks: DrainHooks;
  /** What readiness says now. */
  readiness(): Decision;
  /** Monotonic time of the drain's deadline; asked only while draining. */
  drainEndsAt(): number;
}

/** Every registered worker: paused and resumed with readiness, ended by the drain (D4). */
export interface Workers {
  /**
   * Registers a worker; it takes jobs from now on if readiness allows it, and otherwise once it does.
   * @throws OptionError on a bad name or option.
   * @throws HaleError `HALE_TOO_MANY`.
   */
  add(name: string, adapter: WorkerAdapter, options?: WorkerOptions): WorkerHandle;
  /** To be called at each change of readiness. */
  look(): void;
  dispose(): void;
}

interface Entry {
  readonly control: WorkerControl;
  readonly queue: QueueProgress | undefined;
  readonly unhook: () => void;
}

const RESUME_JITTER_MS = 2000;
const GIVE_BACK_MS = 2000;
/** Of what is left until the deadline, at most this share is kept for giving back. */
const GIVE_BACK_SHARE = 0.5;

/** Creates an empty set of workers. */
export function createWorkers(options: WorkersOptions): Workers {
  const entries = new Set<Entry>();
  const blockedBy = () => consumptionBlockedBy(options.readiness());

  const remove = (entry: Entry): void => {
    if (!entries.delete(entry)) return;
    entry.unhook();
    entry.control.dispose();
    entry.queue?.done();
  };

  return {
    add(name, adapter, given = {}) {
      nameOption('worker (a name)', name);
      const checked = checkOptions(name, adapter, given);
      const queue = queueOf(options.queues, name, given);
      const control = controlOf({ ...options, name, adapter, queue, ...checked });
      const finish = createFinish(options, { name, adapter, giveBackMs: checked.giveBackMs });
      const unhook = options.hooks.add(`worker ${name}`, (signal) => finish(control, signal), {
        stage: 'consumers',
        independent: true,
        open: () => adapter.active().map((job) => `job ${job} of worker "${name}"`),
      });
      const entry: Entry = { control, queue, unhook };
      entries.add(entry);
      control.allow(blockedBy(), 0);
      return {
        get consuming() {
          return control.consuming;
        },
        done: () => remove(entry),
      };
    },
    look() {
      const blocked = blockedBy();
      for (const { control } of entries) control.allow(blocked);
    },
    dispose() {
      for (const entry of [...entries]) remove(entry);
    },
  };
}

function checkOptions(name: string, adapter: WorkerAdapter, given: WorkerOptions) {
  objectOption(`worker.${name} (an adapter)`, adapter);
  for (const method of ['pause', 'resume', 'active', 'whenIdle', 'close'] as const)
    functionOption(`worker.${name}.${method}`, adapter[method]);
  const { resumeJitterMs = RESUME_JITTER_MS, giveBackMs = GIVE_BACK_MS } = given;
  if (given.stallAfterMs !== undefined && given.backlog === undefined)
    throw new OptionError(`worker.${name}.backlog`, 'given with stallAfterMs', given.backlog);
  if (given.backlog !== undefined && given.stallAfterMs === undefined)
    throw new OptionError(`worker.${name}.stallAfterMs`, 'given with backlog', undefined);
  return {
    resumeJitterMs: durationOption(`worker.${name}.resumeJitterMs`, resumeJitterMs, 0),
    giveBackMs: durationOption(`worker.${name}.giveBackMs`, giveBackMs, 0),
  };
}

function queueOf(
  queues: QueueWatches,
  name: string,
  { backlog, stallAfterMs, backlogEveryMs }: WorkerOptions,
): QueueProgress | undefined {
  if (backlog === undefined || stallAfterMs === undefined) return undefined;
  const every = backlogEveryMs === undefined ? {} : { everyMs: backlogEveryMs };
  return queues.add(name, { backlog, stallAfterMs, ...every });
}

/** An adapter that cannot start leaves no watch behind. */
function controlOf(options: WorkerControlOptions): WorkerControl {
  try {
    return createWorkerControl(options);
  } catch (error) {
    options.queue?.done();
    throw error;
  }
}

interface FinishOptions {
  readonly name: string;
  readonly adapter: WorkerAdapter;
  readonly giveBackMs: number;
}

/** Ends a worker: jobs in progress end by themselves, or are given back shortly before the deadline. */
function createFinish(options: WorkersOptions, { name, adapter, giveBackMs }: FinishOptions) {
  const { clock, logger, drainEndsAt } = options;
  return async (control: WorkerControl, signal: AbortSignal): Promise<void> => {
    control.end();
    const leftMs = Math.max(0, drainEndsAt() - clock.now());
    const patienceMs = leftMs - Math.min(giveBackMs, leftMs * GIVE_BACK_SHARE);
    const idle = adapter.whenIdle();
    const ended = await settlesWithin(clock, patienceMs, () => idle, { keepsProcessAlive: true });
    if (!ended && adapter.giveBack !== undefined) {
      const jobs = adapter.active();
      await adapter.giveBack();
      const fields = { event: 'worker_jobs_given_back', worker: name, jobs };
      logger.warn(fields, `worker "${name}" gives back ${jobs.length} jobs: ${jobs.join(', ')}`);
    } else if (!ended) await idle;
    if (!signal.aborted) await adapter.close();
  };
}
