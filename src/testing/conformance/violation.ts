import { HaleError } from '../../core/errors.js';

/** A rule of the kit that a check broke. */
export type ConformanceRule =
  /** The outcome was another one than the situation demands. */
  | 'verdict'
  /** A run had not settled `slackMs` after its signal aborted. */
  | 'deadline'
  /** It did not pass again by itself in time. */
  | 'recovery'
  /** More connections were open than it may hold. */
  | 'leak'
  /** It connected too often while the server was away. */
  | 'storm'
  /** A secret was in an outcome or in a log line. */
  | 'secret'
  /** Something was left after it was disposed: a connection, a timer. */
  | 'left_behind';

/** One finding of the kit. */
export interface ConformanceViolation {
  readonly rule: ConformanceRule;
  /** What was seen, with numbers; never a secret. */
  readonly detail: string;
}

/** What a case of the kit rejects with; `code` is `HALE_CONFORMANCE`. */
export class ConformanceError extends HaleError {
  readonly violations: readonly ConformanceViolation[];

  constructor(title: string, violations: readonly ConformanceViolation[]) {
    const lines = violations.map(({ rule, detail }) => `\n  ${rule}: ${detail}`);
    super('HALE_CONFORMANCE', `${title}${lines.join('')}`);
    this.name = 'ConformanceError';
    this.violations = violations;
  }
}
