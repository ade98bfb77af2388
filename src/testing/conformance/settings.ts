import { OptionError } from '../../core/errors.js';
import {
  choiceOption,
  durationOption,
  functionOption,
  integerOption,
  nameOption,
  objectOption,
  textOption,
} from '../../core/validate.js';
import { systemClock } from '../../engine/system-clock.js';
import { CASE_IDS, type CaseId } from './case-ids.js';
import type { ConformanceException, ConformanceOptions } from './types.js';

/** Options with their defaults. */
export type ConformanceSettings = Required<ConformanceOptions>;

const DEFAULTS = {
  timeoutMs: 300,
  // Timers and sockets of a busy machine are late by some ten milliseconds.
  slackMs: 200,
  noticeWithinMs: 0,
  // The longest pause of common clients between two attempts is two seconds.
  recoverWithinMs: 5_000,
  // Closing takes a round trip, and a server some time to notice.
  closeWithinMs: 3_000,
  runs: 1_000,
  heldConnections: 1,
  maxAttemptsPerSecond: 25,
} as const;

/**
 * Checks the options of the kit and fills in the defaults.
 * @throws OptionError (`HALE_OPTION_INVALID`) naming the option, the accepted range and the value got
 */
export function conformanceSettings(options: ConformanceOptions): ConformanceSettings {
  const settings: ConformanceSettings = {
    ...DEFAULTS,
    exceptions: {},
    secrets: [],
    clock: systemClock,
    ...options,
  };
  const path = (name: string) => `conformanceCases.${name}`;
  nameOption(path('name'), settings.name);
  functionOption(path('createSubject'), settings.createSubject);
  if (typeof settings.server !== 'function') objectOption(path('server'), settings.server);
  for (const name of ['timeoutMs', 'slackMs', 'recoverWithinMs', 'closeWithinMs'] as const) {
    durationOption(path(name), settings[name]);
  }
  durationOption(path('noticeWithinMs'), settings.noticeWithinMs, 0);
  integerOption(path('runs'), settings.runs, { min: 1 });
  integerOption(path('heldConnections'), settings.heldConnections, { min: 0 });
  integerOption(path('maxAttemptsPerSecond'), settings.maxAttemptsPerSecond, { min: 1 });
  checkExceptions(path('exceptions'), settings.exceptions);
  return settings;
}

function checkExceptions(
  option: string,
  exceptions: Readonly<Partial<Record<CaseId, ConformanceException>>>,
): void {
  for (const [id, exception] of Object.entries(exceptions)) {
    choiceOption(`${option} (case)`, id, CASE_IDS);
    textOption(`${option}.${id}.because`, exception.because);
    if (exception.verdict === undefined) continue;
    choiceOption(`${option}.${id}.verdict`, exception.verdict, ['pass', 'warn', 'fail']);
  }
  if (CASE_IDS.every((id) => isLeftOut(exceptions[id]))) {
    throw new OptionError(option, 'exceptions that leave at least one case', exceptions);
  }
}

/** Whether a case does not apply. */
export function isLeftOut(exception: ConformanceException | undefined): boolean {
  return exception !== undefined && exception.verdict === undefined;
}
