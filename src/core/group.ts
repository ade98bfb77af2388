import type { CheckStatus, Impact } from './check.js';
import { OptionError } from './errors.js';
import { integerOption, nameOption, numberOption } from './validate.js';

/**
 * Checks that count together: the group passes while the weights of its passing members reach the quorum.
 * Members only count through their group, so one lost replica of three does not fail readiness.
 */
export interface Group {
  readonly name: string;
  readonly impact: Impact;
  readonly members: readonly GroupMember[];
  /** The weight that must pass. */
  readonly quorum: number;
}

export interface GroupMember {
  readonly check: string;
  readonly weight: number;
}

export interface GroupOptions {
  /** Check names, or check name → weight. */
  members: readonly string[] | Readonly<Record<string, number>>;
  /** The weight that must pass; a member without a weight has weight 1. @defaultValue 1 */
  quorum?: number;
  /** @defaultValue 'critical' */
  impact?: Impact;
}

/**
 * Builds a group from its options.
 * @throws OptionError when a weight is not positive or the quorum can never be reached.
 */
export function createGroup(name: string, options: GroupOptions): Group {
  const path = `groups.${nameOption('groups (a group name)', name)}`;
  const members = membersOf(path, options.members);
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  const quorum = numberOption(`${path}.quorum`, options.quorum ?? 1, {
    min: Number.MIN_VALUE,
    max: total,
  });
  return { name, impact: options.impact ?? 'critical', members, quorum };
}

function membersOf(path: string, members: GroupOptions['members']): GroupMember[] {
  const entries: [string, number][] = Array.isArray(members)
    ? (members as readonly string[]).map((check) => [check, 1])
    : Object.entries(members as Readonly<Record<string, number>>);
  integerOption(`${path}.members (their number)`, entries.length, { min: 1 });
  if (new Set(entries.map(([check]) => check)).size !== entries.length) {
    throw new OptionError(
      `${path}.members`,
      'a list in which each check appears once',
      entries.map(([check]) => check).join(', '),
    );
  }
  return entries.map(([check, weight]) => ({
    check: nameOption(`${path}.members (a check name)`, check),
    weight: numberOption(`${path}.members.${check}`, weight, { min: Number.MIN_VALUE }),
  }));
}

/**
 * The status of a group: `fail` once even its unknown members could not bring it to the quorum, `unknown` while
 * only they could, `warn` while a member is lost but the quorum stands.
 */
export function groupStatus(group: Group, statusOf: (check: string) => CheckStatus): CheckStatus {
  let passing = 0;
  let unknown = 0;
  let sound = true;
  for (const { check, weight } of group.members) {
    const status = statusOf(check);
    if (status === 'pass' || status === 'warn') passing += weight;
    else if (status === 'unknown') unknown += weight;
    if (status !== 'pass') sound = false;
  }
  if (passing >= group.quorum) return sound ? 'pass' : 'warn';
  return passing + unknown >= group.quorum ? 'unknown' : 'fail';
}
