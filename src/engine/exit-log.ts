import type { Logger } from '../core/logger.js';
import type { Reason } from '../core/reason.js';

/** What is told of the permit to leave rotation: each change once, not each question. */
export interface ExitLog {
  granted(held: boolean, reason: Reason): void;
  refused(held: boolean, reason: Reason): void;
  expired(reason: Reason): void;
  failed(output: string, applied: 'stay' | 'leave' | 'kept'): void;
  returned(done: boolean): void;
  returnFailed(output: string): void;
  /** The reason has gone while it stayed in. */
  over(): void;
}

const THEN = {
  stay: 'so it stays',
  leave: 'so it may',
  kept: 'and the permit at hand still lasts',
} as const;

/** Creates the log. */
export function createExitLog(logger: Logger): ExitLog {
  let last = '';
  const once = (told: string, tell: () => void): void => {
    if (told === last) return;
    last = told;
    tell();
  };
  return {
    granted(held, reason) {
      if (held && last === 'granted') return;
      once('granted', () =>
        logger.info({ event: 'exit_permit_granted', reason }, `may leave rotation for ${reason}`),
      );
    },
    refused(held, reason) {
      const told = held ? 'lost' : 'refused';
      if (last === 'lost') return;
      once(told, () =>
        logger.warn(
          { event: held ? 'exit_permit_lost' : 'stays_in_rotation', reason },
          held
            ? `the permit to be out of rotation for ${reason} is lost: back in rotation`
            : `may not leave rotation for ${reason}: too many others have left`,
        ),
      );
    },
    expired(reason) {
      once('expired', () =>
        logger.warn(
          { event: 'exit_permit_expired', reason },
          `the permit to be out of rotation for ${reason} could not be renewed in time`,
        ),
      );
    },
    failed(output, applied) {
      once(`failed ${applied} ${output}`, () =>
        logger.error(
          { event: 'may_leave_failed', output, applied },
          `whether this instance may leave rotation could not be found out, ${THEN[applied]}: ${output}`,
        ),
      );
    },
    returned(done) {
      last = '';
      if (done) logger.info({ event: 'exit_permit_given_back' }, 'gives its exit permit back');
      else logger.warn({ event: 'exit_permit_kept' }, 'the exit permit is left to expire');
    },
    returnFailed(output) {
      last = '';
      logger.warn(
        { event: 'exit_permit_kept', output },
        `the exit permit is left to expire: ${output}`,
      );
    },
    over() {
      last = '';
    },
  };
}
