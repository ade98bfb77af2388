import type { Board } from '../core/board.js';
import type { Clock, Timer } from '../core/clock.js';
import type { MetricReading } from '../core/metric-readings.js';
import { contain } from '../core/contain.js';
import type { BoundAddress, StallReport } from '../core/probe-host.js';
import type { PortOptions, ProbeOptions } from '../core/probe-options.js';
import type { ProbeUpdate } from '../core/probe-state.js';
import { containHandler } from './contained-handler.js';
import type { DiagnoseOptions } from './diagnosis/diagnosis.js';
import { type LateDiagnosis, createLateDiagnosis } from './diagnosis/late-diagnosis.js';
import { createStatusAnswers } from './diagnosis/status-route.js';
import { type ProbeHandler, createHandler } from './handler.js';
import type { ListenFailure } from './listen-error.js';
import { planListeners } from './listener-plan.js';
import { readAnswering, renderMetrics } from './metrics.js';
import { createOnDemand } from './on-demand.js';
import type { OpenListener } from './open-listener.js';
import type { ProbeOutput } from './probe-output.js';
import { openOutputs } from './probe-outputs.js';
import { type ModelHooks, type ProbeModel, createProbeModel } from './probe-model.js';
import { type Pace, createPace } from './pace.js';
import { createRoutes } from './routes.js';
import { nextLookMs, tickMs } from './watchdog.js';

export interface ProbeSideOptions {
  readonly options: ProbeOptions;
  readonly board: Board;
  readonly clock: Clock;
  /** Whether it runs on a thread of its own, beside the main loop. */
  readonly watchesLoop: boolean;
  readonly hooks: ModelHooks;
  readonly evaluate: () => Promise<void>;
  /** Hands a message for systemd to the function of the options. @defaultValue nobody is told */
  readonly notify?: (message: string) => void;
  /** For a diagnostic listener, where one is configured. @defaultValue reports come without a diagnosis */
  readonly diagnose?: DiagnoseOptions;
  readonly onError: (error: unknown) => void;
}

/** Everything that answers probes: the model, its watch and the listeners; the same on a thread and inline. */
export interface ProbeSide {
  readonly model: ProbeModel;
  /** The public handler, as the probe port serves it; never throws or rejects. */
  readonly handler: ProbeHandler;
  apply(update: ProbeUpdate): void;
  /** What blocks the main loop was found out. */
  explainStall(report: StallReport): void;
  /** Every metric now. */
  metrics(): readonly MetricReading[];
  /** Binds the configured listeners; one that fails closes the others again. */
  listen(): Promise<ListenResult>;
  /** Never rejects. */
  close(): Promise<void>;
}

export type ListenResult =
  | { readonly ok: true; readonly addresses: readonly BoundAddress[] }
  | { readonly ok: false; readonly failure: ListenFailure };

/** Creates the probe side and starts watching; nothing listens yet. */
export function createProbeSide(side: ProbeSideOptions): ProbeSide {
  const { options, board, clock, watchesLoop, hooks, onError } = side;
  const pace = createPace(clock);
  const late = createLateDiagnosis({ ...side, pace });
  const model = createProbeModel({
    board,
    probes: options,
    clock,
    watchesLoop,
    hooks: late.hearing(hooks),
  });
  const evaluate = createOnDemand({
    evaluate: side.evaluate,
    waitMs: options.onDemandWaitMs,
    clock,
  });
  const handlerFor = handlerFactory({ ...side, evaluate, pace }, model, late);
  const handler = handlerFor(options.details, false);
  const open: OpenListener[] = [];
  const outputs: ProbeOutput[] = [];
  // Each for itself: whoever publishes, and what else is to look, must not end because one of them is wrong.
  const look = (): void => {
    for (const one of [...open, ...outputs]) contain(() => one.look?.(), onError);
  };
  const watch =
    options.background === false
      ? undefined
      : startTicking(model, side, () => {
          late.look();
          look();
        });

  async function bind(): Promise<ListenResult> {
    const diagnosis = handlerFor(true, true);
    await late.open(model);
    const plans = planListeners({
      ...{ ...side, model, handler, diagnosis, evaluate, pace },
      streams: late.streams,
    });
    for (const { kind, listener, start } of plans) {
      try {
        open.push(await start());
      } catch (error) {
        await Promise.all(open.splice(0).map((opened) => opened.close()));
        return { ok: false, failure: failureOf(kind, listener, error as NodeJS.ErrnoException) };
      }
    }
    const { notify = () => {} } = side;
    outputs.push(...(await openOutputs({ options, board, model, clock, notify, onError })));
    // What was published while the listeners were being bound.
    look();
    return { ok: true, addresses: open.map(({ address }) => address) };
  }

  let listening: Promise<ListenResult> | undefined;
  return {
    model,
    handler: containHandler(handler, onError),
    metrics: () => readAnswering({ model, board, clock }),
    apply(update) {
      model.apply(update);
      late.apply(update);
      look();
    },
    explainStall: (report) => late.explainStall(report),
    listen() {
      listening = bind();
      return listening;
    },
    async close() {
      // What is being bound would be open afterwards.
      await listening?.catch(() => {});
      late.close();
      const all = [...open.splice(0), ...outputs.splice(0)];
      await Promise.all(all.map((one) => one.close()));
      watch?.clear();
    },
  };
}

function handlerFactory(
  { options, board, clock, evaluate, pace }: ProbeSideOptions & { readonly pace: Pace },
  model: ProbeModel,
  late: LateDiagnosis,
): (details: boolean, status: boolean) => ProbeHandler {
  const source = { model, board, clock };
  const answerStatus = createStatusAnswers({ source, diagnosis: late, pace });
  return (details, status) =>
    createHandler({
      model,
      routes: createRoutes({ paths: options.paths, details, status }),
      clock,
      details,
      evaluate,
      metrics: (accept) => renderMetrics({ model, board, clock }, accept),
      status: answerStatus,
    });
}

function failureOf(
  kind: BoundAddress['kind'],
  { host = '::', port }: PortOptions,
  { code = 'UNKNOWN', message }: NodeJS.ErrnoException,
): ListenFailure {
  return { kind, host, port, code, message };
}

function startTicking(
  model: ProbeModel,
  { options, board, clock, watchesLoop, onError }: ProbeSideOptions,
  afterLook: () => void,
): Timer {
  const everyMs = tickMs(options.stallAfterMs);
  const waitMs = (): number =>
    watchesLoop ? nextLookMs(everyMs, clock.now() - board.loopBeatAt()) : everyMs;
  let timer: Timer;
  const tick = (): void => {
    // Armed first: an error in the look must not end the watch.
    timer = clock.setTimeout(tick, waitMs());
    try {
      model.tick(clock.now());
      afterLook();
    } catch (error) {
      onError(error);
    }
  };
  timer = clock.setTimeout(tick, waitMs());
  return { clear: () => timer.clear() };
}
