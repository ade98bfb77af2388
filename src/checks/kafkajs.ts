import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import {
  type LagFinding,
  type LagRule,
  type PartitionPosition,
  initialLag,
  sampleLag,
} from '../core/consumer-lag.js';
import { initialSession, judgeSession, nextSession } from '../core/consumer-session.js';
import { OptionError } from '../core/errors.js';
import {
  type KafkaConsumerEventsLike,
  type KafkaMembership,
  followKafkaConsumer,
} from '../core/kafka-consumer.js';
import { type Limits, limitsAbove, statusAbove, worstStatus } from '../core/limits.js';
import { createRoundTrip } from '../core/round-trip.js';
import { booleanOption, durationOption, integerOption } from '../core/validate.js';

export type { KafkaConsumerEventsLike } from '../core/kafka-consumer.js';

/** Options of {@link kafkaSession}. */
export interface KafkaSessionOptions extends CheckOptions {
  /** The `sessionTimeout` of the consumer, in milliseconds. @defaultValue 30000, as in kafkajs */
  sessionTimeoutMs?: number;
  /** Longest rebalance that only warns, in milliseconds. @defaultValue 60000, the `rebalanceTimeout` of kafkajs */
  rebalanceTimeoutMs?: number;
}

/**
 * Follows the events of a KafkaJS consumer: whether it is a member of its group. It joins no group and sends nothing. Add
 * it before the consumer runs, or it knows of the membership only with the next heartbeat.
 *
 * - pass: the group has answered a heartbeat within `sessionTimeoutMs`.
 * - warn: the consumer has not joined yet (`not_joined`: a service that consumes only while it is ready must be able to
 *   become so), or its group is rebalancing (`rebalancing`).
 * - fail: no heartbeat for longer, so the group has given the member up, most often because one message takes longer than
 *   the session (`session_expired`); the rebalance lasts longer than `rebalanceTimeoutMs` (`rebalance_stuck`); the
 *   consumer was stopped (`consumer_stopped`) or has crashed (`consumer_crashed`; the text says whether it starts again).
 *
 * Suggested impact: `degraded`, or `critical` in a service that only consumes. Cost: none per run.
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no consumer or an option out of range
 */
export function kafkaSession(
  consumer: KafkaConsumerEventsLike,
  options: KafkaSessionOptions = {},
): Check {
  const { sessionTimeoutMs = 30_000, rebalanceTimeoutMs = 60_000, ...checkOptions } = options;
  requireConsumer('kafkaSession', consumer);
  durationOption('kafkaSession.sessionTimeoutMs', sessionTimeoutMs);
  durationOption('kafkaSession.rebalanceTimeoutMs', rebalanceTimeoutMs);
  let state = initialSession;
  const follower = followKafkaConsumer('kafkaSession', consumer, (event, clock) => {
    state = nextSession(state, event, clock.now());
  });
  return {
    componentType: 'component',
    measurement: 'session',
    ...checkOptions,
    start: follower.start,
    run: () =>
      judgeSession(state, follower.clock().now(), { sessionTimeoutMs, rebalanceTimeoutMs }),
    dispose: () => {
      follower.stop();
      state = initialSession;
    },
  };
}

/** The part of an `Admin` of kafkajs (2) that {@link kafkaLag} uses. */
export interface KafkaAdminLike {
  fetchOffsets(options: { groupId: string; topics: string[] }): Promise<
    readonly {
      readonly topic: string;
      readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
    }[]
  >;
  fetchTopicOffsets(
    topic: string,
  ): Promise<
    readonly { readonly partition: number; readonly high: string; readonly low: string }[]
  >;
}

/** Options of {@link kafkaLag}. */
export interface KafkaLagOptions extends CheckOptions {
  /** Warns when more messages are left, in the partitions of this consumer together. @defaultValue Infinity */
  warnLag?: number;
  /** Fails when more messages are left. @defaultValue Infinity */
  failLag?: number;
  /** Warns when something is left of a partition and its offset has not moved for longer, in milliseconds. @defaultValue 60000 */
  warnStalledMs?: number;
  /** Fails when it has not moved for longer, in milliseconds. @defaultValue Infinity */
  failStalledMs?: number;
  /** The `fromBeginning` of the consumer: whether what was there before its first commit counts. @defaultValue false */
  fromBeginning?: boolean;
  /** Lag of one partition that counts as none; 1 for a topic with transactions, whose last record is a marker. @defaultValue 0 */
  toleratedLag?: number;
}

/**
 * Asks the brokers how far this consumer has come in the partitions it has been given: how much is left (lag), and whether
 * its committed offsets move (progress); each has limits of its own. It joins no group.
 *
 * - pass: no limit is exceeded, or no partition was given to this consumer.
 * - warn: more is left than `warnLag` (`lag_high`); something is left and its offset has not moved for `warnStalledMs`
 *   (`no_progress`); or the consumer has not joined yet, or no longer belongs to its group (`not_joined`).
 * - fail: the same with `failLag` and `failStalledMs`; or no answer before the timeout.
 *
 * Suggested impact: `degraded` or `optional`: an instance that leaves rotation shortens no lag. Cost: two requests per
 * topic and one for the group per run, on the connections of the admin client; while they are unanswered none is sent.
 * @param admin - a connected admin client
 * @throws OptionError (`HALE_OPTION_INVALID`) for what is no consumer or admin client, or an option out of range
 */
export function kafkaLag(
  consumer: KafkaConsumerEventsLike,
  admin: KafkaAdminLike,
  options: KafkaLagOptions = {},
): Check {
  requireConsumer('kafkaLag', consumer);
  if (typeof admin?.fetchOffsets !== 'function' || typeof admin.fetchTopicOffsets !== 'function') {
    throw new OptionError('kafkaLag.admin', 'an admin client of kafkajs', admin);
  }
  const { limits, rule, checkOptions } = lagSettings(options);
  let membership: KafkaMembership | undefined;
  let state = initialLag;
  const follower = followKafkaConsumer('kafkaLag', consumer, (event) => {
    if (event.kind === 'joined') membership = event.membership;
    else if (event.kind === 'stopped' || event.kind === 'crashed') membership = undefined;
  });
  const roundTrip = createRoundTrip(async (client: KafkaAdminLike) =>
    membership === undefined ? [] : readPositions(client, membership),
  );
  return {
    componentType: 'component',
    measurement: 'lag',
    impact: 'degraded',
    ...checkOptions,
    start: follower.start,
    run: async (signal) => {
      const clock = follower.clock();
      if (membership === undefined) return NOT_JOINED;
      const noAnswer = () => new Error('no answer of the brokers', { cause: signal.reason });
      const positions = await roundTrip(admin, signal, noAnswer);
      const sampled = sampleLag(state, positions, clock.now(), rule);
      state = sampled.state;
      return judgeLag(sampled.finding, positions.length, limits);
    },
    dispose: () => {
      follower.stop();
      membership = undefined;
      state = initialLag;
    },
  };
}

const NOT_JOINED: CheckResult = {
  status: 'warn',
  code: 'not_joined',
  output: 'the consumer is in no group, so nobody knows its partitions',
};

function requireConsumer(check: string, consumer: KafkaConsumerEventsLike): void {
  if (typeof consumer?.on === 'function') return;
  throw new OptionError(`${check}.consumer`, 'a consumer of kafkajs', consumer);
}

interface LagLimits {
  readonly lag: Limits;
  readonly stalled: Limits;
}

function lagSettings(options: KafkaLagOptions) {
  const { warnLag = Infinity, failLag = Infinity, ...afterLag } = options;
  const { warnStalledMs = 60_000, failStalledMs = Infinity, ...afterLimits } = afterLag;
  const { fromBeginning = false, toleratedLag = 0, ...checkOptions } = afterLimits;
  booleanOption('kafkaLag.fromBeginning', fromBeginning);
  integerOption('kafkaLag.toleratedLag', toleratedLag, { min: 0 });
  const limits: LagLimits = {
    lag: limitsAbove(
      { warn: 'kafkaLag.warnLag', fail: 'kafkaLag.failLag' },
      { warn: warnLag, fail: failLag },
    ),
    stalled: limitsAbove(
      { warn: 'kafkaLag.warnStalledMs', fail: 'kafkaLag.failStalledMs' },
      { warn: warnStalledMs, fail: failStalledMs },
      1,
    ),
  };
  const rule: LagRule = { fromBeginning, toleratedLag };
  return { limits, rule, checkOptions };
}

async function readPositions(
  admin: KafkaAdminLike,
  { groupId, memberAssignment }: KafkaMembership,
): Promise<readonly PartitionPosition[]> {
  const assigned = Object.entries(memberAssignment).filter(([, own]) => own.length > 0);
  if (assigned.length === 0) return [];
  const topics = assigned.map(([topic]) => topic);
  // One after the other: while no broker is there, one question makes fewer attempts to connect than several.
  const committed = await admin.fetchOffsets({ groupId, topics });
  const ends = await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)));
  return assigned.flatMap(([topic, own], index) => {
    const commits = committed.find((each) => each.topic === topic)?.partitions;
    return (ends[index] ?? [])
      .filter(({ partition }) => own.includes(partition))
      .map(({ partition, low, high }) => ({
        partition: `${topic}[${partition}]`,
        low: Number(low),
        high: Number(high),
        committed: offsetOf(commits?.find((each) => each.partition === partition)?.offset),
      }));
  });
}

/** −1 is Kafka's word for an offset that was never committed. */
function offsetOf(offset: string | undefined): number | undefined {
  const number = Number(offset ?? -1);
  return number < 0 ? undefined : number;
}

function judgeLag(finding: LagFinding, partitions: number, limits: LagLimits): CheckResult {
  const { lag, stalled } = finding;
  const stalledMs = Math.round(finding.stalledMs);
  const observedValue = { lag, stalledMs, partitions };
  const byLag = statusAbove(lag, limits.lag);
  const byProgress = statusAbove(stalledMs, limits.stalled);
  const status = worstStatus([byLag, byProgress]);
  if (status === 'pass') return { status, observedValue };
  const standsStill = stalled === undefined ? '' : `, ${stalled} not moved for ${stalledMs} ms`;
  const output = `${lag} messages left in ${partitions} partitions${standsStill}`;
  // Standing still is the reason for a lag, not the other way round.
  return {
    status,
    code: byProgress === status ? 'no_progress' : 'lag_high',
    output,
    observedValue,
  };
}
