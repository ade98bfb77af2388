import type { CheckStatus } from '../../core/check.js';
import type { TimelineEntry } from '../../core/diagnosis.js';
import { isoTime } from '../../core/iso-time.js';
import { plainText } from '../../core/plain-text.js';
import type { CheckView, ProbeState, ProbeUpdate } from '../../core/probe-state.js';
import { freshStatus } from '../../core/readiness.js';
import { type RunHistory, createRunHistory } from '../../core/run-history.js';
import type { Moment } from './moment.js';

/** What was seen of one check, beyond its view. */
export interface CheckRecord {
  /** Absent beyond the bound of checks whose runs are kept. */
  readonly history?: RunHistory;
  readonly status: CheckStatus;
  /** Wall-clock time of the last change; absent while there was none. */
  readonly since?: number;
}

/** Checks whose runs are kept; of more, the first. They are 2.2 MB, and the longest document is some ten. */
const MAX_HISTORIES = 250;

/** Remembers every check's runs and changes, and forgets the check with its removal. */
export interface CheckRecords {
  /** Returns whether a status changed. */
  apply(update: ProbeUpdate, moment: Moment): boolean;
  /** Notices results that have expired. */
  look(state: ProbeState, moment: Moment): void;
  of(name: string): CheckRecord | undefined;
}

interface Entry {
  history?: RunHistory;
  status: CheckStatus;
  since?: number;
  /** Monotonic time of the last change, or of the beginning. */
  changedAt: number;
  runs: number;
}

/** Creates it without a check; changes go to `add`. */
export function createCheckRecords(add: (entry: TimelineEntry) => void): CheckRecords {
  return new Records(add);
}

class Records implements CheckRecords {
  readonly #entries = new Map<string, Entry>();
  readonly #add: (entry: TimelineEntry) => void;
  #histories = 0;
  #changes = 0;
  /** No result expires before. */
  #nextExpiry = Infinity;

  constructor(add: (entry: TimelineEntry) => void) {
    this.#add = add;
  }

  apply({ checks = [], removedChecks = [] }: ProbeUpdate, moment: Moment): boolean {
    const before = this.#changes;
    for (const name of removedChecks) this.#forget(name);
    for (const view of checks) this.#take(view, moment);
    return this.#changes !== before;
  }

  look({ checks }: ProbeState, moment: Moment): void {
    if (moment.now < this.#nextExpiry) return;
    this.#nextExpiry = Infinity;
    for (const view of checks.values()) {
      const entry = this.#entries.get(view.name);
      if (entry === undefined) continue;
      this.#judge(view, entry, moment);
    }
  }

  of(name: string): CheckRecord | undefined {
    return this.#entries.get(name);
  }

  #take(view: CheckView, moment: Moment): void {
    let entry = this.#entries.get(view.name);
    // Removed and added again in one turn: another check by the same name.
    if (entry !== undefined && view.runs < entry.runs) {
      this.#forget(view.name);
      entry = undefined;
    }
    const known = entry ?? this.#begin(view, moment);
    const { last } = view;
    if (last !== undefined && view.runs > known.runs) {
      this.#historyOf(known)?.record(last.wallAt, last.durationMs, last.status);
      known.runs = view.runs;
    }
    this.#judge(view, known, moment);
  }

  #begin(view: CheckView, { now }: Moment): Entry {
    const { changedAt } = view;
    const entry: Entry = {
      status: freshStatus(view, now),
      changedAt: now,
      runs: 0,
      ...(changedAt === undefined ? {} : { since: changedAt }),
    };
    this.#entries.set(view.name, entry);
    return entry;
  }

  #historyOf(entry: Entry): RunHistory | undefined {
    if (entry.history === undefined && this.#histories < MAX_HISTORIES) {
      this.#histories += 1;
      entry.history = createRunHistory();
    }
    return entry.history;
  }

  #forget(name: string): void {
    if (this.#entries.get(name)?.history !== undefined) this.#histories -= 1;
    this.#entries.delete(name);
  }

  #judge(view: CheckView, entry: Entry, { now, wallNow }: Moment): void {
    const { freshUntil = Infinity, last } = view;
    if (freshUntil > now) this.#nextExpiry = Math.min(this.#nextExpiry, freshUntil);
    const to = freshStatus(view, now);
    if (to === entry.status) return;
    const expired = to === 'unknown';
    // The message may have waited for a blocked loop: the change is as old as the run that brought it.
    const at = expired ? wallNow : (last?.wallAt ?? wallNow);
    const changedAt = expired ? now : (view.ranAt ?? now);
    const text = expired ? 'its last result is too old to be believed' : textOf(view);
    this.#add({
      at: isoTime(at),
      kind: 'check',
      name: view.name,
      from: entry.status,
      to,
      lastedMs: Math.max(0, Math.round(changedAt - entry.changedAt)),
      ...(text === undefined ? {} : { text }),
    });
    this.#changes += 1;
    entry.status = to;
    entry.since = at;
    entry.changedAt = changedAt;
  }
}

function textOf({ last }: CheckView): string | undefined {
  if (last === undefined || last.status === 'pass') return undefined;
  const text = last.output ?? last.code;
  return text === undefined ? undefined : plainText(text);
}
