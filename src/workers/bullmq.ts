import { createJobSet } from '../core/job-set.js';
import { functionOption } from '../core/validate.js';
import type { WorkerAdapter, WorkerContext } from '../core/worker.js';

/** What hale uses of a `Job` of bullmq 5.60 and later. */
export interface BullJobLike {
  readonly id?: string | undefined;
  readonly name: string;
  moveToWait(token?: string): Promise<unknown>;
}

/** What hale uses of a `Worker` of bullmq 5.60 and later. */
export interface BullWorkerLike {
  pause(doNotWaitActive?: boolean): Promise<void>;
  resume(): void | Promise<void>;
  close(force?: boolean): Promise<void>;
}

/** Does one job. The signal aborts when the job is cancelled or given back: what it does afterwards is lost. */
export type BullHandler<J extends BullJobLike, R> = (
  job: J,
  token: string | undefined,
  signal: AbortSignal,
) => Promise<R>;

/** The processor to give to `new Worker(name, processor, options)`. */
export type BullProcessor<J extends BullJobLike, R> = (
  job: J,
  token?: string,
  signal?: AbortSignal,
) => Promise<R>;

interface Active {
  readonly job: BullJobLike;
  readonly token: string | undefined;
  giveUp(): void;
}

/**
 * A BullMQ worker. The processor that `create` receives stands in front of yours: a job that was fetched just before
 * a pause is put back to wait instead of starting, and one that is given back ends for BullMQ at once.
 * @throws OptionError when one of the two is no function.
 */
export function bullmqWorker<J extends BullJobLike, R>(
  handler: BullHandler<J, R>,
  create: (processor: BullProcessor<J, R>) => BullWorkerLike,
): WorkerAdapter {
  return new BullmqAdapter(
    functionOption('bullmqWorker (the handler)', handler),
    functionOption('bullmqWorker (create)', create),
  );
}

class BullmqAdapter<J extends BullJobLike, R> implements WorkerAdapter {
  readonly #handler: BullHandler<J, R>;
  readonly #worker: BullWorkerLike;
  readonly #jobs = createJobSet();
  readonly #running = new Set<Active>();
  #held = true;
  #context: WorkerContext | undefined;

  constructor(
    handler: BullHandler<J, R>,
    create: (processor: BullProcessor<J, R>) => BullWorkerLike,
  ) {
    this.#handler = handler;
    // All three parameters are named: BullMQ gives a signal only to a processor that declares it.
    this.#worker = create((job, token, signal) => this.#process(job, token, signal));
  }

  start(context: WorkerContext): void {
    this.#context = context;
  }

  pause(): Promise<void> {
    this.#held = true;
    return this.#worker.pause(true);
  }

  resume(): void | Promise<void> {
    this.#held = false;
    return this.#worker.resume();
  }

  active(): readonly string[] {
    return this.#jobs.labels();
  }

  whenIdle(): Promise<void> {
    return this.#jobs.whenIdle();
  }

  async giveBack(): Promise<void> {
    const given = await Promise.allSettled(
      [...this.#running].map(async (active) => {
        await active.job.moveToWait(active.token);
        active.giveUp();
      }),
    );
    const failed = given.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  async #process(job: J, token: string | undefined, signal: AbortSignal | undefined): Promise<R> {
    if (this.#held) {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    const end = this.#jobs.begin(`${job.name} ${job.id ?? '(no id)'}`);
    try {
      return await this.#untilGivenBack(job, token, signal);
    } finally {
      end();
      this.#context?.jobEnded();
    }
  }

  #untilGivenBack(job: J, token: string | undefined, outer: AbortSignal | undefined): Promise<R> {
    const controller = new AbortController();
    const abort = (): void => controller.abort(outer?.reason);
    outer?.addEventListener('abort', abort, { once: true });
    let active: Active;
    return new Promise<R>((resolve, reject) => {
      active = {
        job,
        token,
        giveUp() {
          reject(new WaitingError());
          controller.abort(new WaitingError());
        },
      };
      this.#running.add(active);
      // A handler written in JavaScript may answer without a promise.
      Promise.resolve(this.#handler(job, token, controller.signal)).then(resolve, reject);
    }).finally(() => {
      outer?.removeEventListener('abort', abort);
      this.#running.delete(active);
    });
  }
}

/** BullMQ knows it by its name: the job is neither done nor failed, it waits again. */
class WaitingError extends Error {
  constructor() {
    super('the job waits again: this worker takes no jobs');
    this.name = 'WaitingError';
  }
}
