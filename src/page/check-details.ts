import type { CheckDiagnosis, HistoryStep, RecentRun } from '../core/diagnosis.js';
import { thresholdText } from './threshold-text.js';
import { type Html, html } from './html.js';
import { badSpans, historyWords, latencyWords, sumOf } from './latency.js';
import { chart, facts, growing, mark, since, timeAt } from './pieces.js';
import { agoMs, duration, entriesOf, isoPlus, plural, timeOfDay } from './text.js';

const RUNS_SHOWN = 10;
const SPANS_SHOWN = 8;

/** Everything about one check. */
export function checkDetails(check: CheckDiagnosis, at: string): Html {
  const { observedValue, observedUnit, recent, history } = check;
  const values = entriesOf(observedValue, observedUnit);
  return html`<div class="details">
    ${facts(figures(check, at))}
    ${
      values.length > 0 &&
      html`<h4>Values</h4>
        ${facts(values)}`
    }
    ${recent.length > 0 && recentRuns(check, at)} ${history.length > 0 && pastHours(check, at)}
  </div>`;
}

function figures(check: CheckDiagnosis, at: string): [string, Html | string | undefined][] {
  const { threshold, lastDurationMs, ageMs, runs, transitions, abandoned, hanging } = check;
  return [
    ['Verdict', html`${mark(check.verdict)} ${since(check.since, at)}`],
    ['Impact', check.impact],
    ['Threshold', threshold && thresholdText(threshold)],
    ['Last run', ageMs === undefined ? 'never' : html`${growing(ageMs)} ago`],
    ['It took', lastDurationMs === undefined ? undefined : duration(lastDurationMs)],
    ['Runs', String(runs)],
    ['Changes of the verdict', String(transitions)],
    ['Given up at the time-out', abandoned === 0 ? undefined : String(abandoned)],
    ['Still hanging', hanging === 0 ? undefined : String(hanging)],
  ];
}

function recentRuns(check: CheckDiagnosis, at: string): Html {
  const { name, recent } = check;
  const shown = recent.slice(-RUNS_SHOWN).toReversed();
  return html`<h4>Last runs</h4>
    ${recent.length > 1 && chart('latency', name, latencyWords(check))}
    <table>
      <caption class="hidden">
        The last runs of ${name}, newest first
      </caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Outcome</th>
          <th scope="col">Took</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map((run) => runRow(run, at))}
      </tbody>
    </table>`;
}

function runRow(run: RecentRun, at: string): Html {
  return html`<tr>
    <td>${timeAt(run.at, at)}</td>
    <td>${mark(run.status)}</td>
    <td>${duration(run.durationMs)}</td>
  </tr>`;
}

function pastHours({ name, history }: CheckDiagnosis, at: string): Html {
  const spanMs = agoMs(history[0]?.at ?? at, at);
  const words = historyWords(sumOf(history, spanMs));
  const endOf = (step: HistoryStep): string => isoPlus(step.at, step.stepMs);
  const spans = badSpans(history, endOf);
  const items = spans
    .slice(0, SPANS_SHOWN)
    .map(
      ({ from, to, runs, failed, warned }) =>
        html`<li>
          ${timeAt(from, at)}–${timeOfDay(to, from)}: ${failed}
          failed${warned > 0 && `, ${warned} warned`} of ${plural(runs, 'run')}
        </li>`,
    );
  const more = spans.length - items.length;
  return html`<h4>History</h4>
    <p>${words}</p>
    ${history.length > 1 && chart('history', name, words)}
    ${
      items.length > 0 &&
      html`<ul class="spans">
        ${items}${more > 0 && html`<li>and ${more} earlier</li>`}
      </ul>`
    }`;
}
