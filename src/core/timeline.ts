import type { TimelineEntry } from './diagnosis.js';

/** Entries that are kept. */
export const TIMELINE_LENGTH = 200;

/** What happened, in a memory of fixed size. */
export interface Timeline {
  add(entry: TimelineEntry): void;
  /** Gives the latest entry of this kind and name the text that was not known when it was added. */
  explain(kind: TimelineEntry['kind'], name: string, text: string): void;
  newestFirst(): readonly TimelineEntry[];
}

/** Creates an empty timeline. */
export function createTimeline(length = TIMELINE_LENGTH): Timeline {
  const entries: TimelineEntry[] = [];
  return {
    add(entry) {
      entries.push(entry);
      if (entries.length > length) entries.shift();
    },
    explain(kind, name, text) {
      const index = entries.findLastIndex((entry) => entry.kind === kind && entry.name === name);
      const entry = entries[index];
      if (entry !== undefined) entries[index] = { ...entry, text };
    },
    newestFirst: () => entries.toReversed(),
  };
}
