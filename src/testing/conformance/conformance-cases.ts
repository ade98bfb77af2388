import { CASES, CASE_IDS, type CaseId } from './case-ids.js';
import { createJournal } from './journal.js';
import { SCENARIOS } from './scenarios.js';
import { type ConformanceSettings, conformanceSettings, isLeftOut } from './settings.js';
import { type Stage, WRONG_PASSWORD, openStage } from './stage.js';
import type { ConformanceCase, ConformanceOptions, ConformanceReport } from './types.js';
import { ConformanceError } from './violation.js';

/**
 * Makes the cases that a check of a networked dependency must pass (C10), for the test function of any framework. They
 * share one server and must run one after another; each creates its check anew and leaves the server running.
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function conformanceCases(options: ConformanceOptions): readonly ConformanceCase[] {
  const settings = conformanceSettings(options);
  return CASE_IDS.filter((id) => !isLeftOut(settings.exceptions[id])).map((id) => {
    const title = titleOf(settings, id);
    return { id, title, run: () => playCase(settings, id, title) };
  });
}

function titleOf({ name, exceptions }: ConformanceSettings, id: CaseId): string {
  const exception = exceptions[id];
  const usual = `${name}, ${id}: ${CASES[id]}`;
  if (exception?.verdict === undefined) return usual;
  return `${name}, ${id}: says ${exception.verdict} instead of fail, because ${exception.because}`;
}

async function playCase(
  settings: ConformanceSettings,
  id: CaseId,
  title: string,
): Promise<ConformanceReport> {
  const { setting, play } = SCENARIOS[id];
  const { secrets, exceptions } = settings;
  const given = typeof secrets === 'function' ? secrets() : secrets;
  const journal = createJournal([...given, WRONG_PASSWORD]);
  const stage = await openStage(settings, journal, setting);
  try {
    await play(stage, exceptions[id]?.verdict ?? 'fail');
    await stage.end();
  } finally {
    await restore(stage);
  }
  if (journal.violations.length > 0) throw new ConformanceError(title, journal.violations);
  return journal.report(stage.attempts);
}

/** The next case finds the server running, whatever happened in this one. */
async function restore(stage: Stage): Promise<void> {
  try {
    await stage.end();
  } finally {
    await stage.close();
    await stage.server.thaw();
    await stage.server.start();
  }
}
