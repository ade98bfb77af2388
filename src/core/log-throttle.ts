import type { Clock, Timer } from './clock.js';
import type { LogFields, Logger } from './logger.js';

/** So many lines about one subject at once; then one as often as this. */
const BURST = 10;
const EVERY_MS = 60_000;
/** Names come and go with `addCheck()`: what has been quiet for long is forgotten beyond so many. */
const MANY_SUBJECTS = 1000;

/** Events that can come again and again: the kind of subject, and the field that names it. */
const RECURRING: Readonly<Record<string, readonly [kind: string, field: string]>> = {
  readiness: ['readiness', 'event'],
  stays_in_rotation: ['floor', 'event'],
  liveness_failed: ['liveness', 'event'],
  check_transition: ['check', 'check'],
  guard_failed: ['guard', 'guard'],
  guard_recovered: ['guard', 'guard'],
  guard_error: ['guard error', 'guard'],
  backlog: ['backlog', 'queue'],
  worker_paused: ['worker', 'worker'],
  worker_resumed: ['worker', 'worker'],
  worker_pause_failed: ['worker', 'worker'],
  work_loop_error: ['round', 'worker'],
  message_failed: ['message', 'queue'],
  lease_acquire_failed: ['lease', 'lease'],
  lease_renew_failed: ['lease', 'lease'],
  lease_renewed: ['lease', 'lease'],
  lease_granted: ['lease', 'lease'],
  lease_denied: ['lease', 'lease'],
  lease_lost: ['lease', 'lease'],
  lease_token_regressed: ['lease token', 'lease'],
  lease_late: ['lease token', 'lease'],
  lease_released: ['lease release', 'lease'],
  lease_not_held: ['lease release', 'lease'],
  lease_release_failed: ['lease release', 'lease'],
  exit_permit_granted: ['exit permit', 'event'],
  exit_permit_lost: ['exit permit', 'event'],
  exit_permit_expired: ['exit permit', 'event'],
  exit_permit_given_back: ['exit permit', 'event'],
  exit_permit_kept: ['exit permit', 'event'],
  may_leave_failed: ['exit permit', 'event'],
  limit_failed: ['limit', 'event'],
  listener_error: ['listener', 'event'],
};

/** Told at once, after what was held back before it: a failure told afterwards would be the last word. */
const AT_ONCE: readonly unknown[] = ['lease_granted', 'lease_denied', 'lease_lost'];

/** Said once, and the last word of its subject. */
const FINAL_REASONS: readonly unknown[] = ['draining', 'stopped', 'fatal'];

/** A logger in which nothing that comes and goes can flood. */
export interface ThrottledLogger extends Logger {
  /** Writes what is held back, so that the last word on every subject is told. */
  flush(): void;
  /** How many subjects it remembers. */
  readonly subjects: number;
}

interface Line {
  readonly level: keyof Logger;
  readonly fields: LogFields;
  readonly message: string;
}

interface Subject {
  tokens: number;
  refilledAt: number;
  held: Line | undefined;
  suppressed: number;
  timer: Timer | undefined;
}

/**
 * Bounds the lines about one subject, such as a check that flaps: ten at once, then one a minute (O2). The latest line is
 * held back rather than dropped, and tells as `suppressed` how many were dropped before it.
 */
export function createThrottledLogger(logger: Logger, clock: Clock): ThrottledLogger {
  const subjects = new Map<string, Subject>();
  /** Looking through all of them at each new one would block the loop when thousands fail together. */
  let forgetAt = MANY_SUBJECTS;

  function write({ level, fields, message }: Line, subject: Subject): void {
    const { suppressed } = subject;
    subject.suppressed = 0;
    const text = suppressed === 0 ? message : `${message} (${suppressed} more since the last line)`;
    logger[level](suppressed === 0 ? fields : { ...fields, suppressed }, text);
  }

  function release(subject: Subject): void {
    subject.timer?.clear();
    subject.timer = undefined;
    const { held } = subject;
    subject.held = undefined;
    if (held !== undefined) write(held, subject);
  }

  function hold(line: Line, subject: Subject): void {
    if (subject.held !== undefined) subject.suppressed += 1;
    subject.held = line;
    const waitMs = Math.ceil((1 - subject.tokens) * EVERY_MS);
    subject.timer ??= clock.setTimeout(() => {
      refill(subject, clock.now());
      subject.tokens = Math.max(0, subject.tokens - 1);
      release(subject);
    }, waitMs);
  }

  function subjectOf(key: string): Subject {
    const known = subjects.get(key);
    if (known !== undefined) return known;
    if (subjects.size >= forgetAt) {
      forgetQuiet(subjects, clock.now());
      forgetAt = Math.max(MANY_SUBJECTS, 2 * subjects.size);
    }
    const refilledAt = clock.now();
    const subject: Subject = {
      ...{ tokens: BURST, refilledAt, suppressed: 0 },
      ...{ held: undefined, timer: undefined },
    };
    subjects.set(key, subject);
    return subject;
  }

  function take(line: Line): void {
    const key = keyOf(line.fields);
    if (key === undefined) return logger[line.level](line.fields, line.message);
    const subject = subjectOf(key);
    refill(subject, clock.now());
    if (AT_ONCE.includes(line.fields['event'])) {
      release(subject);
      write(line, subject);
    } else if (isFinal(line.fields)) {
      if (subject.held !== undefined) subject.suppressed += 1;
      subject.held = line;
      release(subject);
    } else if (subject.held === undefined && subject.tokens >= 1) {
      subject.tokens -= 1;
      write(line, subject);
    } else hold(line, subject);
  }

  const forward = (level: keyof Logger) => (fields: LogFields, message: string) =>
    take({ level, fields, message });
  return {
    info: forward('info'),
    warn: forward('warn'),
    error: forward('error'),
    get subjects() {
      return subjects.size;
    },
    flush() {
      for (const subject of subjects.values()) release(subject);
    },
  };
}

/** What a line is about; absent where it cannot flood. */
function keyOf(fields: LogFields): string | undefined {
  const event = fields['event'];
  const found = typeof event === 'string' ? RECURRING[event] : undefined;
  return found === undefined ? undefined : `${found[0]} ${String(fields[found[1]])}`;
}

function isFinal({ reason }: LogFields): boolean {
  return FINAL_REASONS.includes(reason);
}

function refill(subject: Subject, now: number): void {
  const gained = (now - subject.refilledAt) / EVERY_MS;
  subject.tokens = Math.min(BURST, subject.tokens + gained);
  subject.refilledAt = now;
}

function forgetQuiet(subjects: Map<string, Subject>, now: number): void {
  for (const [key, subject] of subjects) {
    refill(subject, now);
    if (subject.held === undefined && subject.tokens >= BURST) subjects.delete(key);
  }
}
