import type { Board } from '../core/board.js';
import type { Clock } from '../core/clock.js';
import type { LogFields } from '../core/logger.js';
import type { ServiceInfo } from '../core/probe-state.js';
import { hostName } from './builtins.js';

export interface LogContextOptions {
  readonly host: { readonly board: Pick<Board, 'evaluatedAt' | 'inFlight'> };
  readonly clock: Pick<Clock, 'now'>;
  readonly resolved: { readonly service: Pick<ServiceInfo, 'version' | 'releaseId'> };
}

/** What each line about a transition tells beside it (O2). */
export function createLogContext(options: LogContextOptions): () => LogFields {
  const { clock, resolved } = options;
  const { board } = options.host;
  const { version, releaseId } = resolved.service;
  let instance: string | undefined;
  return () => ({
    // Nothing has been evaluated before the start.
    ...(board.evaluatedAt() === 0
      ? {}
      : { snapshotAgeMs: Math.round(clock.now() - board.evaluatedAt()) }),
    inFlight: board.inFlight(),
    ...(version === undefined ? {} : { version }),
    ...(releaseId === undefined ? {} : { releaseId }),
    instance: (instance ??= hostName()),
  });
}
