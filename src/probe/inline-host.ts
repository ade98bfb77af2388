import { createBoard } from '../core/board.js';
import type { Clock } from '../core/clock.js';
import { HaleError } from '../core/errors.js';
import { type Logger, silentLogger } from '../core/logger.js';
import type { BoundAddress, ProbeHostEvents } from '../core/probe-host.js';
import type { ProbeOptions } from '../core/probe-options.js';
import { announcePhase } from './announced-phase.js';
import type { AnsweringHost } from './answering-host.js';
import { createLazySampler } from './diagnosis/lazy-sampler.js';
import { removeFilesAtExit } from './files-at-exit.js';
import { listenError, processManager } from './listen-error.js';
import { createProbeSide } from './probe-side.js';

export interface InlineHostOptions {
  readonly options: ProbeOptions;
  readonly events: ProbeHostEvents;
  readonly clock: Clock;
  /** @defaultValue a logger that drops everything */
  readonly logger?: Logger;
}

/**
 * Creates the host that answers probes on the main loop: for tests, serverless and runtimes without workers. It
 * cannot see its own loop stand still, and a busy loop delays its answers; it says so once when it starts.
 */
export function createInlineHost(host: InlineHostOptions): AnsweringHost {
  const { options, events, clock, logger = silentLogger } = host;
  const board = announcePhase(createBoard(), () => side.apply({}));
  const sampler = createLazySampler(clock);
  const side = createProbeSide({
    options,
    board,
    clock,
    watchesLoop: false,
    hooks: {
      onStall() {},
      onStallEnd() {},
      onLivenessFailed(reason) {
        logger.error({ event: 'liveness_failed', reason }, `liveness fails: ${reason}`);
        events.onLivenessFailed(reason);
      },
    },
    // Only a loop that stands still has a cause with texts from outside, and this one cannot see itself do so.
    diagnose: { sampleMain: () => sampler.read(), redact: (text) => text },
    evaluate: () => events.evaluate(),
    notify: (message) => events.notify?.(message),
    onError: (error) => events.onError(error),
  });

  let offExit = (): void => {};
  let started: Promise<readonly BoundAddress[]> | undefined;
  let disposed: Promise<void> | undefined;

  async function listen(): Promise<readonly BoundAddress[]> {
    warn(logger);
    const result = await side.listen();
    if (result.ok) {
      if (disposed === undefined) offExit = removeFilesAtExit(options.files);
      return result.addresses;
    }
    throw listenError(result.failure, processManager());
  }

  return {
    board,
    handler: side.handler,
    publish: (update) => side.apply(update),
    metrics: () => Promise.resolve(side.metrics()),
    start() {
      if (disposed !== undefined)
        return Promise.reject(new HaleError('HALE_DISPOSED', 'the probe host has been disposed'));
      started ??= listen().catch((error: unknown) => {
        started = undefined;
        throw error;
      });
      return started;
    },
    dispose() {
      offExit();
      sampler.dispose();
      disposed ??= side.close();
      return disposed;
    },
  };
}

let warned = false;

function warn(logger: Logger): void {
  if (warned) return;
  warned = true;
  logger.warn(
    { event: 'inline_isolation' },
    'probes are answered on the main event loop: a blocked loop delays them and cannot be reported',
  );
}
