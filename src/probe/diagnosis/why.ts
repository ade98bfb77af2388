import type { CheckStatus } from '../../core/check.js';
import type { Decision } from '../../core/decision.js';
import type { WhyStep } from '../../core/diagnosis.js';
import type { Group } from '../../core/group.js';
import { isoTime } from '../../core/iso-time.js';
import { plainText } from '../../core/plain-text.js';
import type { CheckView } from '../../core/probe-state.js';
import { freshStatus } from '../../core/readiness.js';
import { type Reason, reasonCode } from '../../core/reason.js';
import { type WhyContext, factsOf } from './why-facts.js';

/** Outcomes told one by one; the verdict says how many there were. */
const OUTCOMES = 3;

/** Reasons that are explained. Thousands of checks that fail together fail for one cause, and nobody reads as many. */
export const MAX_CHAINS = 200;

/** Why a probe says what it says: a chain for each of its first reasons, from the reason down to the error. */
export function whyOf(decision: Decision, context: WhyContext): readonly (readonly WhyStep[])[] {
  const { reasons, heldFor = [] } = decision;
  return reasons
    .slice(0, MAX_CHAINS)
    .map((reason) => [
      ...reasonSteps(reason, context),
      ...heldFor
        .filter((each) => isHeldFor(reason, each))
        .flatMap((each) => reasonSteps(each, context)),
    ]);
}

function reasonSteps(reason: Reason, context: WhyContext): readonly WhyStep[] {
  return [{ kind: 'reason', text: reason }, ...causesOf(reason, context)];
}

/** Whether one stands in place of the other: it has its name, or its code where that has none. */
function isHeldFor(held: Reason, reason: Reason): boolean {
  return held === `held_by_floor:${reason.slice(reason.indexOf(':') + 1)}`;
}

function causesOf(reason: Reason, context: WhyContext): readonly WhyStep[] {
  const code = reasonCode(reason);
  const name = reason.slice(code.length + 1);
  const { checks, groups } = context.state;
  const view = checks.get(name);
  const group = groups.find((each) => each.name === name);
  switch (code) {
    case 'check_failed':
    case 'check_degraded':
    case 'check_pending':
      return view === undefined ? [] : checkSteps(view, context);
    case 'stale':
      return view === undefined ? factsOf(code, name, context) : checkSteps(view, context);
    case 'group_failed':
    case 'group_degraded':
      return group === undefined ? [] : groupSteps(group, context);
    default:
      return factsOf(code, name, context);
  }
}

/** The verdict, the last outcomes and the error of one check. */
function checkSteps(view: CheckView, context: WhyContext): readonly WhyStep[] {
  const { since } = context.records.of(view.name) ?? {};
  const status = freshStatus(view, context.moment.now);
  const verdict: WhyStep = {
    kind: 'verdict',
    text: verdictText(view, status, context),
    status,
    ...(since === undefined ? {} : { at: isoTime(since) }),
  };
  return [verdict, ...outcomeSteps(view, context), ...errorSteps(view)];
}

function verdictText(view: CheckView, status: CheckStatus, { moment }: WhyContext): string {
  const { name, impact, ranAt, streak } = view;
  if (ranAt === undefined) return `"${name}" (${impact}) has never finished a run`;
  if (status === 'unknown') {
    const ageS = Math.round((moment.now - ranAt) / 1000);
    return `the last result of "${name}" (${impact}) is ${ageS} s old and does not count any more`;
  }
  const told = `"${name}" (${impact}) is at ${status}`;
  if (streak === undefined || streak.count === 0) return told;
  return `${told}; ${streak.count} of ${streak.needed} runs that would turn it to ${streak.to}`;
}

function outcomeSteps({ name }: CheckView, { records }: WhyContext): readonly WhyStep[] {
  const runs = records.of(name)?.history?.recent() ?? [];
  return runs
    .slice(-OUTCOMES)
    .toReversed()
    .map(({ at, durationMs, status }) => ({
      kind: 'outcome',
      text: `${status} after ${Math.round(durationMs)} ms`,
      status,
      at,
    }));
}

function errorSteps({ last }: CheckView): readonly WhyStep[] {
  if (last === undefined || last.status === 'pass') return [];
  const { code, output } = last;
  const text = [code, output].filter((part) => part !== undefined).join(': ');
  return text === ''
    ? []
    : [{ kind: 'error', text: plainText(text), status: last.status, at: isoTime(last.wallAt) }];
}

/** The quorum, then each member that does not pass, with its error. */
function groupSteps({ members, quorum }: Group, context: WhyContext): readonly WhyStep[] {
  const { checks } = context.state;
  const statusOf = (check: string): CheckStatus => {
    const view = checks.get(check);
    return view === undefined ? 'unknown' : freshStatus(view, context.moment.now);
  };
  const weight = members
    .filter(({ check }) => ['pass', 'warn'].includes(statusOf(check)))
    .reduce((sum, each) => sum + each.weight, 0);
  const lost = members.filter(({ check }) => statusOf(check) !== 'pass');
  return [
    { kind: 'fact', text: `a weight of ${weight} passes, the quorum is ${quorum}` },
    ...lost.flatMap(({ check }) => {
      const view = checks.get(check);
      return view === undefined
        ? [{ kind: 'fact' as const, text: `there is no check "${check}"` }]
        : checkSteps(view, context).filter(({ kind }) => kind !== 'outcome');
    }),
  ];
}
