import {
  type ChangeStream,
  type ChangesOptions,
  type OwnChangeStream,
  createChangeStream,
} from './core/change-stream.js';
import { contain } from './core/contain.js';
import { errorText } from './core/error-text.js';
import type { Logger } from './core/logger.js';
import { functionOption, integerOption, objectOption } from './core/validate.js';
import { hasProcess } from './engine/process-port.js';
import type { Health, HealthChange } from './health.js';

/** What subscribers to the channel `hale:change` of `node:diagnostics_channel` are told. */
export interface ChangeMessage {
  readonly health: Health;
  readonly change: HealthChange;
}

/** Everybody who wants to hear of changes. */
export interface Changes {
  listen(listener: (change: HealthChange) => unknown): () => void;
  stream(options?: ChangesOptions): ChangeStream<HealthChange>;
  tell(change: HealthChange): void;
  /** Ends every stream and forgets every listener. */
  dispose(): void;
}

const CHANNEL = 'hale:change';
const LIMIT = 1000;

/** Creates the set of those who listen to one health. */
export function createChanges(health: Health, logger: Logger): Changes {
  const listeners = new Set<(change: HealthChange) => unknown>();
  const streams = new Set<OwnChangeStream<HealthChange>>();
  let disposed = false;
  const onError = (error: unknown): void => {
    const output = errorText(error);
    logger.error({ event: 'listener_error', output }, `a listener to onChange threw: ${output}`);
  };
  return {
    listen(listener) {
      listeners.add(functionOption('onChange (a listener)', listener));
      return () => void listeners.delete(listener);
    },
    stream(options = {}) {
      const { signal, limit = LIMIT } = objectOption('changes (options)', options);
      integerOption('changes.limit', limit, { min: 1, max: 1_000_000 });
      if (signal !== undefined)
        functionOption(
          'changes.signal (its addEventListener)',
          objectOption('changes.signal', signal).addEventListener,
        );
      const own = createChangeStream<HealthChange>(limit, () => {
        streams.delete(own);
        signal?.removeEventListener('abort', own.end);
      });
      streams.add(own);
      if (disposed || signal?.aborted === true) own.end();
      else signal?.addEventListener('abort', own.end, { once: true });
      return own.stream;
    },
    tell(change) {
      // A copy: one that registers itself again would be called for ever.
      for (const listener of [...listeners])
        if (listeners.has(listener)) contain(() => listener(change), onError);
      for (const own of streams) own.push(change);
      contain(() => publish({ health, change }), onError);
    },
    dispose() {
      disposed = true;
      listeners.clear();
      for (const own of streams) own.end();
    },
  };
}

function publish(message: ChangeMessage): void {
  if (!hasProcess()) return;
  // Taken at the first change: importing hale stays cheap. Channels of one name are one channel.
  const channel = process.getBuiltinModule('node:diagnostics_channel').channel(CHANNEL);
  if (channel.hasSubscribers) channel.publish(message);
}
