import { type CheckStatus, IMPACTS, type Impact } from './check.js';
import { OptionError } from './errors.js';
import { choiceOption, nameOption, objectOption, positiveOption } from './validate.js';

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

const MAX_WEIGHT = 1_000_000;

/** Sums of weights such as 0.1 and 0.7 miss their decimal sum by less. */
const ROUNDING = 1e-9;

/**
 * Builds a group from its options.
 * @throws OptionError when a weight is not positive or the quorum can never be reached.
 */
export function createGroup(name: string, options: GroupOptions): Group {
  const path = `groups.${nameOption('groups (a group name)', name)}`;
  const { members: given, quorum = 1, impact = 'critical' } = objectOption(path, options);
  const members = membersOf(`${path}.members`, given);
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  if (!reaches(total, positiveOption(`${path}.quorum`, quorum))) {
    const accepted = `a number above 0 and up to ${total}, the weight of all members`;
    throw new OptionError(`${path}.quorum`, accepted, quorum);
  }
  return { name, impact: choiceOption(`${path}.impact`, impact, IMPACTS), members, quorum };
}

function membersOf(path: string, given: GroupOptions['members']): GroupMember[] {
  const members = entriesOf(path, given).map(([check, weight]) => ({
    check: nameOption(`${path} (a check name)`, check),
    weight: positiveOption(`${path}.${check}`, weight, MAX_WEIGHT),
  }));
  const names = members.map(({ check }) => check);
  if (names.length === 0) throw new OptionError(path, 'one check or more', given);
  if (new Set(names).size !== names.length) {
    throw new OptionError(path, 'a list in which each check appears once', names.join(', '));
  }
  return members;
}

function entriesOf(path: string, given: GroupOptions['members']): (readonly [string, number])[] {
  if (Array.isArray(given)) return given.map((check: string) => [check, 1] as const);
  if (typeof given === 'object' && given !== null) return Object.entries(given);
  throw new OptionError(path, 'a list of check names or an object of check name → weight', given);
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
  if (reaches(passing, group.quorum)) return sound ? 'pass' : 'warn';
  return reaches(passing + unknown, group.quorum) ? 'unknown' : 'fail';
}

function reaches(weight: number, quorum: number): boolean {
  return weight >= quorum * (1 - ROUNDING);
}
