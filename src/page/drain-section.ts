import type { DrainStepName } from '../core/drain-plan.js';
import type { Diagnosis, DrainDiagnosis, DrainStepDiagnosis } from '../core/diagnosis.js';
import { type Html, html } from './html.js';
import { type Tone, facts, foreign, mark, since } from './pieces.js';
import { duration } from './text.js';

const NAMES: Readonly<Record<DrainStepName, string>> = {
  propagation: 'Balancers learn of it',
  stop_accepting: 'Nothing new is accepted',
  in_flight: 'Work in flight ends',
  consumers: 'Consumers stop',
  closers: 'Everything is closed',
  lease_release: 'The lease is given back',
};

const TONES: Readonly<Record<DrainStepDiagnosis['state'], Tone>> = {
  waiting: 'idle',
  running: 'busy',
  done: 'pass',
  cut: 'warn',
  failed: 'fail',
};

const OPEN_SHOWN = 50;

/** How far the drain has come and what it waits for. */
export function drainSection({ drain, at }: Diagnosis): Html {
  if (drain === undefined) return html``;
  return html`<p>
      ${foreign(drain.reason)}, ${since(drain.since, at)}. It ends in
      <strong>${duration(drain.leftMs)}</strong> at the latest.
    </p>
    <ol class="steps">
      ${drain.steps.map(step)}
    </ol>
    ${openList(drain)}`;
}

function step({ step: name, state, durationMs }: DrainStepDiagnosis): Html {
  const current = state === 'running' && html` aria-current="step"`;
  return html`<li data-tone="${TONES[state]}" ${current}>
    ${mark(TONES[state], state)}
    ${NAMES[name]}${durationMs !== undefined && html` <span class="quiet">${duration(durationMs)}</span>`}
  </li>`;
}

function openList({ open }: DrainDiagnosis): Html {
  if (open.length === 0) return facts([['It waits for', 'nothing that is open']]);
  const more = open.length - OPEN_SHOWN;
  return html`<h3>It waits for</h3>
    <ul class="list">
      ${open.slice(0, OPEN_SHOWN).map((item) => html`<li>${foreign(item)}</li>`)}${more > 0 && html`<li>and ${more} more</li>`}
    </ul>`;
}
