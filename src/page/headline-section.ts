import type { Diagnosis } from '../core/diagnosis.js';
import { headlineOf } from './headline.js';
import { type Html, html } from './html.js';
import { foreign, growing, mark, since, whyChains } from './pieces.js';

/** What is wrong, since when, and why. */
export function headlineSection(diagnosis: Diagnosis): Html {
  const { tone, state, because, meaning, since: from, probe } = headlineOf(diagnosis);
  const { at, probes } = diagnosis;
  const explained = probe === undefined ? undefined : probes[probe];
  const lasts = since(from, at);
  return html`<div class="headline" data-tone="${tone}">
    <h1>
      ${mark(tone, state)}${because !== '' && html`<span class="because">${foreign(because)}</span>`}
    </h1>
    ${lasts !== undefined && html`<p class="lasts">${lasts}</p>`}
    <p class="meaning">${meaning}</p>
    ${blockedNote(diagnosis)}
    ${
      explained !== undefined &&
      explained.why.length > 0 &&
      html`<h2 class="quiet">Why</h2>
        ${whyChains(explained, at)}`
    }
  </div>`;
}

function blockedNote({ process }: Diagnosis): Html | undefined {
  const { loopStalled, snapshotAgeMs } = process;
  if (!loopStalled) return undefined;
  const age = snapshotAgeMs !== undefined && html`, ${growing(snapshotAgeMs)} by now`;
  return html`<p class="note">
    This page comes from a thread of its own and stays live. What only the main loop knows is as old
    as the block${age}.
  </p>`;
}
