import type { TimelineEntry } from '../../core/diagnosis.js';
import { isoTime } from '../../core/iso-time.js';
import type { Moment } from './moment.js';

/** What a timeline entry is about. */
export type Subject = Pick<TimelineEntry, 'kind' | 'name'>;

/** Values that are followed, each with the time since which it is as it is. */
export interface Changes {
  /** Takes a value; one that differs from the last of its subject is an entry of the timeline, the first is none. */
  follow(subject: Subject, value: string, moment: Moment, more?: FollowOptions): void;
  forget(subject: Subject): void;
  /** Wall-clock time of the last change; undefined while there was none. */
  since(subject: Subject): number | undefined;
}

/** What else is known of a value. */
export interface FollowOptions {
  readonly text?: string | undefined;
  /** Makes an entry when it differs, although the value is the same: the reason of a probe. */
  readonly detail?: string;
  /** What the subject was before it was seen for the first time, where that was something else. */
  readonly before?: string;
  /** How long the value before lasted, where that is known better. */
  readonly lastedMs?: number;
}

interface Followed {
  value: string;
  detail: string;
  /** Monotonic. */
  changedAt: number;
  since?: number;
}

/** Creates it without a value. */
export function createChanges(add: (entry: TimelineEntry) => void): Changes {
  const all = new Map<string, Followed>();
  const keyOf = ({ kind, name }: Subject): string => `${kind} ${name}`;
  return {
    follow(subject, value, moment, { text, detail = '', before, lastedMs } = {}) {
      const key = keyOf(subject);
      const { now, wallNow } = moment;
      const known = all.get(key);
      if (known === undefined && before === undefined) {
        all.set(key, { value, detail, changedAt: now });
        return;
      }
      if (known?.value === value && known.detail === detail) return;
      const from = known?.value ?? before;
      const lasted = lastedMs ?? (known === undefined ? undefined : now - known.changedAt);
      add({
        at: isoTime(wallNow),
        ...subject,
        ...(from === undefined ? {} : { from }),
        to: value,
        ...(lasted === undefined ? {} : { lastedMs: Math.round(lasted) }),
        ...(text === undefined ? {} : { text }),
      });
      const since = from === value ? known?.since : wallNow;
      all.set(key, { value, detail, changedAt: now, ...(since === undefined ? {} : { since }) });
    },
    forget: (subject) => void all.delete(keyOf(subject)),
    since: (subject) => all.get(keyOf(subject))?.since,
  };
}
