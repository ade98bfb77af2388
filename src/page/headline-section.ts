import type { Diagnosis } from '../core/diagnosis.js';
import { headlineOf } from './headline.js';
import { type Html, html } from './html.js';
import { foreign, mark, since, whyChains } from './pieces.js';
import { timeAt } from './pieces.js';

/** What is wrong, since when, and why. */
export function headlineSection(diagnosis: Diagnosis): Html {
  const { tone, state, because, meaning, since: from, probe } = headlineOf(diagnosis);
  const { at, probes } = diagnosis;
  const why = probe === undefined ? [] : probes[probe].why;
  const from_ = since(from, at);
  return html`<div class="headline" data-tone="${tone}">
    <h1>
      ${mark(tone, state)}${because !== '' && html`<span class="because">${foreign(because)}</span>`}
    </h1>
    <p class="meaning">
      ${meaning}${from_ !== undefined && html` <span class="since">${from_}</span>`}
    </p>
    ${blockedNote(diagnosis)}
    ${
      why.length > 0 &&
      html`<h2 class="quiet">Why</h2>
        ${whyChains(why, at)}`
    }
  </div>`;
}

function blockedNote({ process, at }: Diagnosis): Html | undefined {
  if (!process.loopStalled) return undefined;
  return html`<p class="note">
    This page comes from hale's own thread and stays live. What only the main loop knows stands
    still at ${timeAt(at, at)} or earlier.
  </p>`;
}
