/** Where a partition ends and how far the group has come in it. */
export interface PartitionPosition {
  /** Such as `orders[3]`. */
  readonly partition: string;
  /** The offset of its first message. */
  readonly low: number;
  /** The offset that its next message will get. */
  readonly high: number;
  /** The offset of the next message to read; undefined where the group has never committed one. */
  readonly committed: number | undefined;
}

/** How lag is counted. */
export interface LagRule {
  /** Whether a partition without a committed offset is read from its first message; otherwise it has no lag. */
  readonly fromBeginning: boolean;
  /** Lag of one partition that counts as none. */
  readonly toleratedLag: number;
}

interface PartitionProgress {
  readonly committed: number | undefined;
  readonly lag: number;
  /** When the committed offset was first seen, or when lag began. */
  readonly since: number;
}

/** What is remembered between samples. */
export type LagState = ReadonlyMap<string, PartitionProgress>;

/** What the samples show: how much is left, and for how long nothing was done of it. */
export interface LagFinding {
  /** Messages left, all partitions together. */
  readonly lag: number;
  /** For how long the partition that stands still longest has not moved although something is left; 0 for none. */
  readonly stalledMs: number;
  /** That partition. */
  readonly stalled: string | undefined;
}

/** The state before the first sample. */
export const initialLag: LagState = new Map();

/** Takes a sample of every partition; partitions that are gone are forgotten. */
export function sampleLag(
  previous: LagState,
  positions: readonly PartitionPosition[],
  now: number,
  rule: LagRule,
): { readonly state: LagState; readonly finding: LagFinding } {
  const state = new Map<string, PartitionProgress>();
  let finding: LagFinding = { lag: 0, stalledMs: 0, stalled: undefined };
  for (const position of positions) {
    const { partition, committed } = position;
    const lag = lagOf(position, rule);
    const before = previous.get(partition);
    const isStill = before !== undefined && before.committed === committed && before.lag > 0;
    const since = isStill && lag > 0 ? before.since : now;
    state.set(partition, { committed, lag, since });
    const total = finding.lag + lag;
    const isWorst = now - since > finding.stalledMs;
    finding = isWorst
      ? { lag: total, stalledMs: now - since, stalled: partition }
      : { ...finding, lag: total };
  }
  return { state, finding };
}

function lagOf({ low, high, committed }: PartitionPosition, rule: LagRule): number {
  if (committed === undefined && !rule.fromBeginning) return 0;
  // Retention may have removed what was not read.
  const lag = high - Math.max(committed ?? low, low);
  return lag > rule.toleratedLag ? lag : 0;
}
