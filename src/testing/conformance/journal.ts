import type { Logger } from '../../core/logger.js';
import type { Outcome } from '../../core/outcome.js';
import type { ConformanceReport } from './types.js';
import type { ConformanceRule, ConformanceViolation } from './violation.js';

/** Takes down what a case sees. */
export interface Journal {
  readonly violations: readonly ConformanceViolation[];
  /** Hands what the check logs to the search for secrets. */
  readonly logger: Logger;
  /** Adds a finding; the same one is kept once. */
  violated(rule: ConformanceRule, detail: string): void;
  saw(outcome: Outcome): void;
  report(attempts: number): ConformanceReport;
}

/** Creates a journal that looks for `secrets` in whatever comes along. */
export function createJournal(secrets: readonly string[]): Journal {
  const violations: ConformanceViolation[] = [];
  const outputs = new Set<string>();
  let runs = 0;
  let longestMs = 0;
  const violated = (rule: ConformanceRule, detail: string) => {
    const known = violations.some((each) => each.rule === rule && each.detail === detail);
    if (!known) violations.push({ rule, detail });
  };
  const search = (where: string, text: string) => {
    if (secrets.some((secret) => text.includes(secret))) violated('secret', `told in ${where}`);
  };
  const note = (fields: unknown, message: string) =>
    search('a log line', `${message} ${JSON.stringify(fields)}`);
  return {
    violations,
    logger: { info: note, warn: note, error: note },
    violated,
    saw(outcome) {
      runs += 1;
      longestMs = Math.max(longestMs, outcome.durationMs);
      if (outcome.status !== 'pass') outputs.add(outcome.output ?? outcome.code ?? outcome.status);
      search('an outcome', JSON.stringify(outcome));
    },
    report: (attempts) => ({ runs, longestMs, attempts, outputs: [...outputs] }),
  };
}
