import { parseIsoTime } from '../../core/iso-time.js';
import type { LeaseEnded, LeaseRecord, LeaseToken } from '../../core/lease-store.js';
import { type Detector, heartbeatMs } from './detector.js';
import type { FleetInstance, InstanceState } from './fleet-view.js';
import { type InstanceInfo, parseInstanceData } from './instance-data.js';
import { LearnedRhythm, phiOf } from './phi.js';

/** Now, by the two clocks an observer has. */
export interface Moment {
  /** Monotonic. */
  readonly now: number;
  /** Of the observer's own time, which leaves its pauses out. */
  readonly judged: number;
}

/** When a heartbeat was heard. */
export interface Heard extends Moment {
  /** It came at most so many milliseconds ago. */
  readonly withinMs: number;
}

/** How its lease ended. */
export interface Gone {
  /** The registry says so, or it is gone long before it can have expired, or it was draining. */
  readonly released: boolean;
  /** Told while the registry was away: nobody knows why. */
  readonly unclear: boolean;
}

/** Share of the ttl before which a lease that has ended was released: a registry expires none that early. */
const RELEASED_BEFORE = 0.9;

/** One instance that an observer keeps. */
export class Member {
  readonly name: string;
  readonly holder: string;
  readonly firstSeenAt: number;
  token: LeaseToken;
  ttlMs: number;
  info: InstanceInfo = {};
  state: Exclude<InstanceState, 'unknown'> = 'up';
  held = false;
  stateSince: number;
  /** Monotonic time of the last heartbeat. */
  beatAt: number;
  /** Judged times: from which silence counts, and when it means something. */
  base: number;
  lateAt = Infinity;
  suspectAt = Infinity;
  downAt = Infinity;
  gone: Gone | undefined;
  #revision: string;
  #data: string;
  /** When its lease expires at the earliest, by what was told with the last heartbeat. */
  #expiresAt: number;
  #rhythm: LearnedRhythm;
  /** By its own wall clock. */
  #startedAt: number | undefined;
  /** Whether the next interval was seen from end to end. */
  #intact = true;

  constructor(record: LeaseRecord, heard: Heard, lagMs: number) {
    const { now, judged } = heard;
    this.name = record.name;
    this.holder = record.holder;
    this.token = record.token;
    this.ttlMs = record.ttlMs;
    this.#revision = record.revision;
    this.#data = record.data;
    this.#expiresAt = expiryOf(record, heard);
    this.#read();
    this.firstSeenAt = now;
    this.stateSince = now;
    this.beatAt = now - lagMs;
    this.base = judged - lagMs;
    this.#rhythm = new LearnedRhythm(heartbeatMs(record.ttlMs));
  }

  /** Whether it said that it is about to end. */
  get draining(): boolean {
    return this.info.phase === 'draining' || this.info.phase === 'stopped';
  }

  isNews({ revision, token }: LeaseRecord): boolean {
    return revision !== this.#revision || token !== this.token;
  }

  /** Takes in a heartbeat that came `lagMs` ago; returns whether it tells something else about itself. */
  beat(record: LeaseRecord, heard: Heard, lagMs: number): boolean {
    const { now, judged } = heard;
    const at = Math.max(this.beatAt, now - lagMs);
    const base = Math.max(this.base, judged - lagMs);
    // An interval in which the observer paused, or was slow, says nothing about the instance.
    const real = at - this.beatAt;
    if (this.#intact && Math.abs(base - this.base - real) < real / 10) this.#rhythm.learn(real);
    this.#intact = true;
    this.beatAt = at;
    this.base = base;
    this.token = record.token;
    this.#revision = record.revision;
    this.#expiresAt = expiryOf(record, heard);
    if (record.ttlMs !== this.ttlMs) this.#rhythm = new LearnedRhythm(heartbeatMs(record.ttlMs));
    this.ttlMs = record.ttlMs;
    if (record.data === this.#data) return false;
    this.#data = record.data;
    this.#read();
    return true;
  }

  #read(): void {
    this.info = parseInstanceData(this.#data);
    const { startedAt } = this.info;
    this.#startedAt = startedAt === undefined ? undefined : parseIsoTime(startedAt);
  }

  /** Works out when silence means something. */
  schedule(detector: Detector): void {
    const { lateMs, suspectMs, downMs } = detector.deadlines(this.ttlMs, this.#rhythm);
    this.lateAt = this.base + lateMs;
    this.suspectAt = this.base + suspectMs;
    this.downAt = this.base + downMs;
  }

  /** What was silent while nobody could hear it begins anew. */
  forgive(judged: number): void {
    this.base = Math.max(this.base, judged);
    this.#intact = false;
  }

  /** Notes that its lease is not there any more. */
  leave(now: number, unclear: boolean, why?: LeaseEnded['why']): void {
    const isSure = why === 'released' || this.draining;
    const expiresAt = Math.min(this.beatAt + this.ttlMs, this.#expiresAt);
    const isEarly = expiresAt - now > (1 - RELEASED_BEFORE) * this.ttlMs;
    const released = isSure || (why === undefined && isEarly);
    this.gone = { released, unclear: unclear && !isSure };
  }

  view(
    { now, judged }: Moment,
    wallNow: number,
    detector: Detector,
    known: boolean,
  ): FleetInstance {
    const { name, holder, token, ttlMs, held, info } = this;
    const age = this.#startedAt === undefined ? now - this.firstSeenAt : wallNow - this.#startedAt;
    const rhythm = detector.tolerant(ttlMs, this.#rhythm);
    return {
      name,
      holder,
      token,
      state: known ? this.state : 'unknown',
      held,
      inStateMs: Math.max(0, now - this.stateSince),
      ageMs: Math.max(0, age),
      silentMs: Math.max(0, now - this.beatAt),
      phi: phiOf(Math.max(0, judged - this.base), rhythm),
      ttlMs,
      info,
    };
  }
}

/** The registry knows best how old a heartbeat is; a look that comes late, or of an observer that was frozen, does not. */
function expiryOf({ ttlMs, expiresInMs }: LeaseRecord, { now, withinMs }: Heard): number {
  return now + (expiresInMs ?? ttlMs - withinMs);
}
