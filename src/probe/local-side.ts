import type { AnswerCounts } from '../core/answering-figures.js';
import type { Board } from '../core/board.js';
import type { Clock } from '../core/clock.js';
import type { Logger } from '../core/logger.js';
import type { ProbeHostEvents } from '../core/probe-host.js';
import type { ProbeOptions } from '../core/probe-options.js';
import type { ProbeState, ProbeUpdate } from '../core/probe-state.js';
import { containHandler } from './contained-handler.js';
import type { ProbeHandler } from './handler.js';
import { createMountedAnswers } from './mounted-answers.js';
import { type ProbeSide, createProbeSide } from './probe-side.js';

export interface LocalSideOptions {
  readonly options: ProbeOptions;
  readonly board: Board;
  readonly clock: Clock;
  readonly events: Pick<ProbeHostEvents, 'evaluate' | 'onError'>;
  readonly logger: Logger;
  /** Everything published so far. */
  state(): ProbeState;
  /** Probes were answered; told once a second at most. */
  onAnswers(counts: AnswerCounts): void;
}

/** Answers on the main loop what a probe thread answers on its ports. */
export interface LocalSide {
  readonly handler: ProbeHandler;
  apply(update: ProbeUpdate): void;
  /** The probe thread has ended: what is told of answers counts from now on, as the counters of the next one do. */
  countAnew(): void;
  close(): Promise<void>;
}

/**
 * Creates it asleep: a process whose probes all go to their own port pays nothing for it. The first request wakes it,
 * and from then on it watches progress from this loop, which it cannot see stand still.
 */
export function createLocalSide(options: LocalSideOptions): LocalSide {
  let side: ProbeSide | undefined;
  let closed = false;
  const mounted = createMountedAnswers({
    clock: options.clock,
    read: () => countsOf(side, options.clock),
    publish: (counts) => options.onAnswers(counts),
  });

  function wake(): ProbeSide {
    const made = createAwake(options, !closed);
    const state = options.state();
    made.apply({ state, checks: [...state.checks.values()] });
    return made;
  }

  return {
    handler: containHandler(
      {
        handle(request) {
          side ??= wake();
          const answer = side.handler.handle(request);
          if (answer instanceof Promise) void answer.then(mounted.note);
          else mounted.note();
          return answer;
        },
      },
      (error) => options.events.onError(error),
    ),
    apply: (update) => side?.apply(update),
    countAnew: mounted.countAnew,
    async close() {
      closed = true;
      mounted.close();
      await side?.close();
    },
  };
}

function countsOf(side: ProbeSide | undefined, clock: Pick<Clock, 'now'>): AnswerCounts {
  const { answers = [], handled = [] } = side?.model.figures(clock.now()) ?? {};
  return { answers, handled };
}

function createAwake(
  { options, board, clock, events, logger }: LocalSideOptions,
  background: boolean,
): ProbeSide {
  return createProbeSide({
    options: background ? options : { ...options, background: false },
    board,
    clock,
    watchesLoop: false,
    hooks: {
      onStall() {},
      onStallEnd() {},
      // The thread tells standard error; a logger of the application's hears of it here, before the first 503 (L7).
      onLivenessFailed(reason) {
        logger.error({ event: 'liveness_failed', reason }, `liveness fails: ${reason}`);
      },
    },
    evaluate: () => events.evaluate(),
    onError: (error) => events.onError(error),
  });
}
