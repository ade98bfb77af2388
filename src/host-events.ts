import { contain } from './core/contain.js';
import { errorText } from './core/error-text.js';
import type { HealthOptions } from './core/health-options.js';
import type { Logger } from './core/logger.js';
import type { ProbeHostEvents } from './core/probe-host.js';

export interface HostEventsOptions {
  readonly evaluate: () => Promise<void>;
  readonly systemd: HealthOptions['systemd'];
  readonly logger: Logger;
}

/** What becomes of the things the probe side tells. */
export function createHostEvents({
  evaluate,
  systemd,
  logger,
}: HostEventsOptions): ProbeHostEvents {
  const onInternalError = (error: unknown, where: string): void => {
    const output = errorText(error);
    logger.error({ event: 'internal_error', where, output }, `hale: ${output}`);
  };
  return {
    evaluate,
    notify(message) {
      if (typeof systemd !== 'object') return;
      contain(
        () => systemd.send?.(message),
        (error) => onInternalError(error, 'systemd.send'),
      );
    },
    // The probe thread has logged these itself, while the main loop could not.
    onStall() {},
    onStallEnd() {},
    onLivenessFailed() {},
    onError: (error) => onInternalError(error, 'the probe side'),
  };
}
