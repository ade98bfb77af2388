import type { CheckStatus, Impact } from '../core/check.js';
import type { CheckDiagnosis, Diagnosis } from '../core/diagnosis.js';
import { type Html, html } from './html.js';
import { mark } from './pieces.js';

const GROUPS: readonly (readonly [CheckStatus, string])[] = [
  ['fail', 'Failing'],
  ['warn', 'Warning'],
  ['unknown', 'Unknown'],
  ['pass', 'Passing'],
];

const WEIGHTS: Readonly<Record<Impact, number>> = { critical: 0, degraded: 1, optional: 2 };

/** Renders one check, or leaves it to the script. */
export type CheckItem = (check: CheckDiagnosis) => Html | undefined;

/** Every check, the failing ones first and among them the critical ones. */
export function checksSection({ checks }: Pick<Diagnosis, 'checks'>, item: CheckItem): Html {
  if (checks.length === 0) {
    return html`<p class="quiet">There are no checks. Readiness depends on the process alone.</p>`;
  }
  return html`${GROUPS.map(([verdict, title]) => group([verdict, title], membersOf(verdict, checks), item))}`;
}

/** All checks in the order of the page. */
export function worstFirst(checks: readonly CheckDiagnosis[]): readonly CheckDiagnosis[] {
  return GROUPS.flatMap(([verdict]) => membersOf(verdict, checks));
}

function membersOf(
  verdict: CheckStatus,
  checks: readonly CheckDiagnosis[],
): readonly CheckDiagnosis[] {
  return checks
    .filter((check) => check.verdict === verdict)
    .toSorted((a, b) => WEIGHTS[a.impact] - WEIGHTS[b.impact]);
}

function group(
  [verdict, title]: readonly [CheckStatus, string],
  members: readonly CheckDiagnosis[],
  item: CheckItem,
): Html | false {
  if (members.length === 0) return false;
  const items = members.map(item);
  const left = items.filter((each) => each === undefined).length;
  return html`<div class="group" id="checks-${verdict}">
    <h3>${mark(verdict, title)} <span class="count">${members.length}</span></h3>
    <ul class="checks">
      ${items}${left > 0 && html`<li class="quiet">${left} more, listed once the page is live</li>`}
    </ul>
  </div>`;
}
