import type { CheckDiagnosis, ThresholdProgress } from '../core/diagnosis.js';
import { checkDetails } from './check-details.js';
import { type Html, html } from './html.js';
import { chart, foreign, growing, idOf, mark, since } from './pieces.js';
import { latencyWords } from './latency.js';
import { thresholdText } from './threshold-text.js';
import { duration, shortValue } from './text.js';

/** One check: a line that tells the state, and the details below it. */
export function checkItem(check: CheckDiagnosis, at: string, detailed: boolean): Html {
  const { name, impact, verdict, recent } = check;
  const id = idOf(name);
  const value = valueText(check);
  const spark = recent.length > 1 && chart('spark', name, latencyWords(check));
  return html`<li id="check-${id}" class="check" data-tone="${verdict}" data-name="${name}">
    <details id="details-${id}">
      <summary>
        <span class="name">${foreign(name)}</span>
        <span class="state">${mark(verdict)} <span class="impact">${impact}</span></span>
        <span class="value">${value !== '' && foreign(value)}</span>
        <span class="latency"
          >${spark}${check.lastDurationMs !== undefined && duration(check.lastDurationMs)}</span
        >
        <span class="age">${ageOf(check)}</span>
        ${trouble(check, at)}
      </summary>
      ${detailed && checkDetails(check, at)}
    </details>
  </li>`;
}

function valueText({ observedValue, observedUnit }: CheckDiagnosis): string {
  const text = shortValue(observedValue, observedUnit);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

function ageOf({ ageMs, runs }: CheckDiagnosis): Html | string {
  if (ageMs === undefined) return runs === 0 ? 'never ran' : '';
  return html`${growing(ageMs)} ago`;
}

/** Why it does not pass, in the line itself: nobody should have to open anything for it. */
function trouble(check: CheckDiagnosis, at: string): Html | undefined {
  const { verdict, code, output, threshold } = check;
  const progress =
    threshold !== undefined && threshold.count > 0
      ? html`<span class="progress">${dots(threshold)} ${thresholdText(threshold)}</span>`
      : undefined;
  if (verdict === 'pass') {
    return progress && html`<span class="trouble">${progress} ${foreign(output ?? '')}</span>`;
  }
  const from = since(check.since, at);
  const text = output !== undefined && html`<span class="output">${foreign(output)}</span>`;
  return html`<span class="trouble"
    >${code !== undefined && html`<code>${code}</code> `}${text}
    ${from !== undefined && html`<span class="since">${from}</span>`} ${progress}</span
  >`;
}

function dots({ count, needed }: ThresholdProgress): Html | undefined {
  if (needed > 12) return undefined;
  const filled = Math.min(count, needed);
  return html`<span class="dots" aria-hidden="true"
    >${'●'.repeat(filled)}${'○'.repeat(needed - filled)}</span
  >`;
}
