import type { Diagnosis, TimelineEntry } from '../core/diagnosis.js';
import { type Html, html } from './html.js';
import { type Tone, foreign, mark, timeAt } from './pieces.js';
import { duration } from './text.js';

const SHOWN = 20;

const TONES = new Map<string, Tone>(
  Object.entries({
    pass: 'pass',
    warn: 'warn',
    fail: 'fail',
    unknown: 'unknown',
    running: 'pass',
    starting: 'busy',
    draining: 'busy',
    stopped: 'busy',
    held: 'pass',
    lost: 'fail',
    acquiring: 'busy',
    turning: 'pass',
    moving: 'pass',
    standing: 'fail',
  } satisfies Record<string, Tone>),
);

/** What changed, newest first. */
export function timelineSection({ timeline, at }: Diagnosis): Html {
  if (timeline.length === 0) return html`<p class="quiet">Nothing has changed yet.</p>`;
  const older = timeline.slice(SHOWN);
  const rest = html`<details id="older">
    <summary>${older.length} older</summary>
    ${list(older, at)}
  </details>`;
  return html`${list(timeline.slice(0, SHOWN), at)}${older.length > 0 && rest}`;
}

function list(entries: readonly TimelineEntry[], at: string): Html {
  return html`<ol class="timeline">
    ${entries.map((entry) => item(entry, at))}
  </ol>`;
}

function item({ at: when, kind, name, from, to, lastedMs, text }: TimelineEntry, at: string): Html {
  const before =
    from !== undefined &&
    html`<span class="quiet"
      >after ${from}${lastedMs !== undefined && ` for ${duration(lastedMs)}`}</span
    >`;
  return html`<li>
    ${timeAt(when, at)}
    <span class="what"
      ><span class="kind">${kind}</span> ${kind !== name && html`<strong>${foreign(name)}</strong>`}
      ${mark(TONES.get(to) ?? 'busy', to)}
      ${before}${text !== undefined && html` <span class="text">${foreign(text)}</span>`}</span
    >
  </li>`;
}
