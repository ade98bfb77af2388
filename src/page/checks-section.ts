import type { CheckStatus, Impact } from '../core/check.js';
import type { CheckDiagnosis, Diagnosis } from '../core/diagnosis.js';
import { checkItem } from './check-item.js';
import { type Html, html } from './html.js';
import { mark } from './pieces.js';

const GROUPS: readonly (readonly [CheckStatus, string])[] = [
  ['fail', 'Failing'],
  ['warn', 'Warning'],
  ['unknown', 'Unknown'],
  ['pass', 'Passing'],
];

const WEIGHTS: Readonly<Record<Impact, number>> = { critical: 0, degraded: 1, optional: 2 };

/** Whether the details of a check are on the page; most are never opened. */
export type IsDetailed = (check: CheckDiagnosis) => boolean;

/** Every check, the failing ones first and among them the critical ones. */
export function checksSection({ checks, at }: Diagnosis, isDetailed: IsDetailed): Html {
  if (checks.length === 0) {
    return html`<p class="quiet">There are no checks. Readiness depends on the process alone.</p>`;
  }
  return html`${GROUPS.map(([verdict, title]) => group([verdict, title], checks, (check) => checkItem(check, at, isDetailed(check))))}`;
}

function group(
  [verdict, title]: readonly [CheckStatus, string],
  checks: readonly CheckDiagnosis[],
  item: (check: CheckDiagnosis) => Html,
): Html | false {
  const members = checks
    .filter((check) => check.verdict === verdict)
    .toSorted((a, b) => WEIGHTS[a.impact] - WEIGHTS[b.impact]);
  if (members.length === 0) return false;
  return html`<div class="group" id="checks-${verdict}">
    <h3>${mark(verdict, title)} <span class="count">${members.length}</span></h3>
    <ul class="checks">
      ${members.map(item)}
    </ul>
  </div>`;
}
