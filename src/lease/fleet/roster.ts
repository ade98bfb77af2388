import type { LeaseEvent, LeaseRecord } from '../../core/lease-store.js';
import type { Detector } from './detector.js';
import type { FleetEvent, FleetInstance, FleetView, InstanceState } from './fleet-view.js';
import { type Heard, Member, type Moment } from './member.js';
import { type ObserverTime, createObserverTime } from './observer-time.js';
import { Preservation, type PreserveRules } from './preservation.js';

export interface RosterOptions {
  readonly detector: Detector;
  readonly preserve: PreserveRules;
  readonly forgetAfterMs: number;
  /** By how much a heartbeat may be older than the moment it is told. */
  readonly lookEveryMs: number;
  readonly now: number;
  emit(event: FleetEvent): void;
  wallNow(): number;
}

type Registry =
  | { readonly kind: 'connecting' | 'lost' }
  | { readonly kind: 'up'; readonly judgedSince: number };

type LeaseFree = Extract<LeaseEvent, { kind: 'free' }>;

type InstanceEvent = Extract<FleetEvent, { instance: FleetInstance }>['kind'];

/**
 * Everything an observer knows of a fleet, and every decision about it. Has no clock and no timer: time is an argument
 * of each call, and never runs backwards.
 */
export class Roster {
  readonly #options: RosterOptions;
  readonly #members = new Map<string, Member>();
  readonly #time: ObserverTime;
  readonly #preservation: Preservation;
  #registry: Registry = { kind: 'connecting' };
  #longestTtlMs = 0;

  constructor(options: RosterOptions) {
    this.#options = options;
    this.#time = createObserverTime(options.now);
    this.#preservation = new Preservation(options.preserve);
  }

  /** A lease is held, which is a heartbeat if it is news; one that came at most `withinMs` ago. */
  held(record: LeaseRecord, now: number, withinMs = 0): void {
    const moment: Heard = { ...this.#at(now), withinMs };
    // A store of somebody else's may tell anything; by such a time nothing could be judged.
    if (!(record.ttlMs > 0 && Number.isFinite(record.ttlMs))) return;
    const known = this.#members.get(record.name);
    this.#longestTtlMs = Math.max(this.#longestTtlMs, record.ttlMs);
    this.#time.heed(record.ttlMs);
    if (known === undefined || known.holder !== record.holder) this.#join(record, known, moment);
    else if (known.isNews(record)) this.#beat(known, record, moment);
    // Told as gone by a look that was wrong, or before the registry went back in time.
    else if (known.gone !== undefined) this.#recover(known, moment);
  }

  /** A lease has ended: released or expired. */
  free({ name, token, why }: Omit<LeaseFree, 'kind'>, now: number): void {
    this.#at(now);
    const member = this.#members.get(name);
    if (member === undefined || member.token !== token || member.state === 'down') return;
    member.leave(now, this.#registry.kind !== 'up', why);
  }

  /** Everything is told as of now. */
  synced(now: number): void {
    const { judged } = this.#at(now);
    // Nothing was missed before the first look.
    if (this.#registry.kind === 'lost')
      for (const member of this.#members.values()) this.#forgive(member, judged);
    this.#registry = { kind: 'up', judgedSince: judged };
    this.#options.emit({ kind: 'registry_back' });
  }

  /** The registry does not tell any more. */
  failed(error: unknown, now: number): void {
    this.#at(now);
    this.#time.stumble();
    if (this.#registry.kind === 'lost') return;
    this.#registry = { kind: 'lost' };
    this.#options.emit({ kind: 'registry_lost', error });
  }

  /**
   * Judges silence. `dueAt` is when this look was to come.
   * @returns how many milliseconds from now the next look must come
   */
  look(now: number, dueAt: number): number {
    const moment = this.#at(now, dueAt);
    // A look that comes later than that would not count as time.
    let next = this.#time.mostMs / 2;
    if (this.#registry.kind !== 'up') return next;
    const count = { vanishing: 0, standing: 0, due: false };
    for (const member of this.#members.values()) {
      if (member.state === 'down') continue;
      count.standing += 1;
      if (isVanishing(member, moment.judged)) count.vanishing += 1;
      if (this.#verdict(member, moment.judged) !== undefined) count.due = true;
      next = Math.min(next, this.#nextFor(member, moment.judged));
    }
    const change = this.#preservation.look(count, now);
    if (change !== undefined) this.#options.emit(change);
    for (const member of this.#members.values()) this.#judge(member, moment);
    return next;
  }

  /** Takes a mass loss for real at the next look. */
  confirmLoss(): void {
    this.#preservation.confirm();
  }

  list(now: number): FleetInstance[] {
    const moment = this.#at(now);
    const views = [...this.#members.values()].map((member) => this.#view(member, moment));
    return views.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  overview(now: number): FleetView {
    const { judged } = this.#at(now);
    const counts: Record<InstanceState, number> = { up: 0, suspect: 0, down: 0, unknown: 0 };
    let held = 0;
    const known = this.#registry.kind === 'up';
    for (const member of this.#members.values()) {
      counts[known ? member.state : 'unknown'] += 1;
      if (member.held) held += 1;
    }
    const { loss } = this.#preservation;
    return {
      registry: this.#registryState(judged),
      total: this.#members.size,
      counts,
      held,
      ...(loss === undefined ? {} : { massLoss: loss }),
      unwell: this.#time.unwell,
      pauses: this.#time.pauses,
    };
  }

  #registryState(judged: number): FleetView['registry'] {
    if (this.#registry.kind !== 'up') return this.#registry.kind;
    return judged < this.#registry.judgedSince + this.#longestTtlMs ? 'settling' : 'up';
  }

  #at(now: number, dueAt?: number): Moment {
    return { now, judged: this.#time.advance(now, dueAt) };
  }

  #join(record: LeaseRecord, previous: Member | undefined, moment: Heard): void {
    if (previous !== undefined && previous.state !== 'down') this.#tell('left', previous, moment);
    const member = new Member(record, moment, this.#lagMs(record, previous === undefined));
    member.schedule(this.#options.detector);
    this.#members.set(record.name, member);
    this.#tell('joined', member, moment);
  }

  #beat(member: Member, record: LeaseRecord, moment: Heard): void {
    const changed = member.beat(record, moment, this.#lagMs(record, false));
    member.schedule(this.#options.detector);
    if (member.state !== 'up' || member.gone !== undefined) this.#recover(member, moment);
    else if (changed) this.#tell('changed', member, moment);
  }

  /** How old a heartbeat is, where the registry tells. */
  #lagMs({ ttlMs, expiresInMs }: LeaseRecord, isFirst: boolean): number {
    if (expiresInMs === undefined) return 0;
    const lagMs = Math.min(ttlMs, Math.max(0, ttlMs - expiresInMs));
    // Of one that was seen before, it came after the last look, whatever the registry's clock says.
    const atFirstLook = isFirst && this.#registry.kind === 'connecting';
    return atFirstLook ? lagMs : Math.min(lagMs, this.#options.lookEveryMs);
  }

  #recover(member: Member, moment: Moment): void {
    const wasUp = member.state === 'up';
    member.gone = undefined;
    member.held = false;
    if (wasUp) return;
    this.#turn(member, 'up', moment);
    this.#tell('recovered', member, moment);
  }

  #forgive(member: Member, judged: number): void {
    member.forgive(judged);
    member.schedule(this.#options.detector);
  }

  /** What would become of it, if nothing held it back. */
  #verdict({ gone, downAt, ttlMs }: Member, judged: number): 'down' | 'left' | undefined {
    if (gone?.released === true && !gone.unclear) return 'left';
    const settled = judged >= this.#settledAt(ttlMs);
    return settled && (gone !== undefined || judged >= downAt) ? 'down' : undefined;
  }

  #settledAt(ttlMs: number): number {
    return this.#registry.kind === 'up' ? this.#registry.judgedSince + ttlMs : Infinity;
  }

  /** From now until silence of this one means something else; nothing if that needs a heartbeat. */
  #nextFor({ suspectAt, downAt, state, gone, ttlMs }: Member, judged: number): number {
    const settledAt = this.#settledAt(ttlMs);
    const downMs = Math.max(gone === undefined ? downAt : 0, settledAt) - judged;
    const suspectMs = state === 'up' ? suspectAt - judged : Infinity;
    return Math.min(downMs > 0 ? downMs : Infinity, suspectMs > 0 ? suspectMs : Infinity);
  }

  #judge(member: Member, moment: Moment): void {
    if (member.state === 'down') {
      if (moment.now - member.stateSince >= this.#options.forgetAfterMs)
        this.#drop(member, 'forgotten', moment);
      return;
    }
    const verdict = this.#verdict(member, moment.judged);
    if (verdict === 'left' && (member.draining || !this.#preservation.active))
      return this.#drop(member, 'left', moment);
    if (member.state === 'up' && (member.gone !== undefined || moment.judged >= member.suspectAt)) {
      this.#turn(member, 'suspect', moment);
      this.#tell('suspect', member, moment);
    }
    if (verdict === undefined) return;
    if (this.#preservation.active) this.#withhold(member, moment);
    else this.#declareDown(member, moment);
  }

  #withhold(member: Member, moment: Moment): void {
    if (member.held) return;
    member.held = true;
    this.#tell('withheld', member, moment);
  }

  #declareDown(member: Member, moment: Moment): void {
    member.held = false;
    this.#turn(member, 'down', moment);
    this.#preservation.note(moment.now);
    this.#tell('down', member, moment);
  }

  #drop(member: Member, kind: 'left' | 'forgotten', moment: Moment): void {
    this.#members.delete(member.name);
    this.#tell(kind, member, moment);
  }

  #turn(member: Member, state: Member['state'], { now }: Moment): void {
    member.state = state;
    member.stateSince = now;
  }

  #tell(kind: InstanceEvent, member: Member, moment: Moment): void {
    this.#options.emit({ kind, instance: this.#view(member, moment) });
  }

  #view(member: Member, moment: Moment): FleetInstance {
    const { detector, wallNow } = this.#options;
    return member.view(moment, wallNow(), detector, this.#registry.kind === 'up');
  }
}

/** Late, or gone without having said so. */
function isVanishing(member: Member, judged: number): boolean {
  return member.gone === undefined ? judged >= member.lateAt : !member.draining;
}
