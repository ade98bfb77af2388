import type { Diagnosis, ProbeDiagnosis } from '../core/diagnosis.js';
import { type Html, html } from './html.js';
import { mark, since, whyChains } from './pieces.js';
import { reasonText } from './reason-text.js';

const QUESTIONS = [
  ['liveness', 'Liveness', 'Must this process be restarted?'],
  ['readiness', 'Readiness', 'May it get new traffic now?'],
  ['startup', 'Start-up', 'Has the start finished?'],
] as const;

/** The three probes, each with its answer. */
export function probesSection({ probes, at }: Diagnosis): Html {
  const cards = QUESTIONS.map(([probe, name, question]) =>
    card(probes[probe], { name, question, id: probe, at }),
  );
  return html`<ul class="probes">
    ${cards}
  </ul>`;
}

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly question: string;
  readonly at: string;
}

function card(probe: ProbeDiagnosis, { id, name, question, at }: Shown): Html {
  const { status, httpStatus, reason, why } = probe;
  const from = since(probe.since, at);
  const chains = html`<details id="why-${id}">
    <summary>Why</summary>
    ${whyChains(probe, at)}
  </details>`;
  return html`<li id="probe-${id}" class="card" data-tone="${status}">
    <h3>${name} ${mark(status)}</h3>
    <p class="quiet">${question}</p>
    <p>
      <code>${httpStatus}</code>
      <code class="reason">${reason}</code>${reason !== 'ok' && html`<br />${reasonText(reason)}`}
    </p>
    ${from !== undefined && html`<p class="quiet">${from}</p>`} ${why.length > 0 && chains}
  </li>`;
}
