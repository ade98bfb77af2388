import { createDetector } from '../../../src/lease/fleet/detector.js';
import type { FleetEvent, InstanceState } from '../../../src/lease/fleet/fleet-view.js';
import type { PreserveRules } from '../../../src/lease/fleet/preservation.js';
import { Roster } from '../../../src/lease/fleet/roster.js';
import { TTL } from './support.js';

export const NO_PRESERVATION: PreserveRules = { share: 1, withinMs: 0, holdMs: 0 };

/** The pure core in virtual time: nothing is awaited, so hours of ten thousand instances pass in seconds. */
export class RosterDriver {
  now = 1000;
  readonly roster: Roster;
  #revision = 0;
  #dueAt = 1000;

  constructor(
    readonly onEvent: (event: FleetEvent, now: number) => void,
    preserve: PreserveRules = { share: 0.15, withinMs: 30_000, holdMs: 300_000 },
  ) {
    this.roster = new Roster({
      detector: createDetector(),
      preserve,
      forgetAfterMs: Infinity,
      lookEveryMs: 1000,
      now: this.now,
      wallNow: () => this.now,
      emit: (event) => onEvent(event, this.now),
    });
  }

  beat(name: string, expiresInMs?: number): void {
    const record = { name, holder: name, token: 1n, ttlMs: TTL, data: '' };
    const revision = String((this.#revision += 1));
    const expiry = expiresInMs === undefined ? {} : { expiresInMs };
    this.roster.held({ ...record, revision, ...expiry }, this.now);
  }

  /** Moves time on, looking as often as a fleet does. */
  advanceTo(target: number): void {
    while (this.#dueAt <= target) {
      this.now = Math.max(this.now, this.#dueAt);
      const nextMs = this.roster.look(this.now, this.#dueAt);
      this.#dueAt = this.now + Math.max(50, Math.min(nextMs, 1000));
    }
    this.now = Math.max(this.now, target);
  }

  /** Moves time on without a look. */
  jump(ms: number): void {
    this.now += ms;
  }
}

/** What somebody knows who only listens. */
export class ListenerModel {
  readonly states = new Map<string, { state: InstanceState; held: boolean }>();
  registryIsUp = false;

  hear(event: FleetEvent): void {
    if (event.kind === 'registry_back') this.registryIsUp = true;
    else if (event.kind === 'registry_lost') this.registryIsUp = false;
    if (!('instance' in event)) return;
    const { name } = event.instance;
    const { held = false } = this.states.get(name) ?? {};
    if (event.kind === 'left' || event.kind === 'forgotten') this.states.delete(name);
    else if (event.kind === 'withheld') this.states.set(name, { state: 'suspect', held: true });
    else if (event.kind === 'suspect') this.states.set(name, { state: 'suspect', held });
    else if (event.kind === 'down') this.states.set(name, { state: 'down', held: false });
    else this.states.set(name, { state: 'up', held: false });
  }

  /** As a list of the fleet would be. */
  get list(): { name: string; state: InstanceState; held: boolean }[] {
    return [...this.states]
      .map(([name, { state, held }]) => ({
        name,
        held,
        state: this.registryIsUp ? state : ('unknown' as const),
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }
}
