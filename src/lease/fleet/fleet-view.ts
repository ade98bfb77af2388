import type { LeaseToken } from '../../core/lease-store.js';
import type { InstanceInfo } from './instance-data.js';

/** Every state of an instance. `unknown`: the registry does not tell at present. */
export const INSTANCE_STATES = ['up', 'suspect', 'down', 'unknown'] as const;

export type InstanceState = (typeof INSTANCE_STATES)[number];

/** One instance, as far as an observer can tell. Durations are milliseconds, as of the call. */
export interface FleetInstance {
  /** The name of its lease. */
  readonly name: string;
  readonly holder: string;
  readonly token: LeaseToken;
  readonly state: InstanceState;
  /** It would be down, but too many vanished at once: the observer, or the registry, is the likely failure. */
  readonly held: boolean;
  /** How long it has been up, suspect or down. */
  readonly inStateMs: number;
  /** Since it started, by its own clock; where it does not tell, since it was first seen. */
  readonly ageMs: number;
  /** Since its last heartbeat. */
  readonly silentMs: number;
  /** How odd its silence is; see `phiOf`. */
  readonly phi: number;
  readonly ttlMs: number;
  /** What it tells about itself, as of its last heartbeat. */
  readonly info: InstanceInfo;
}

/** Where the registry stands. `settling`: it has been up for less than a ttl, and nobody is declared down (rule 10). */
export type RegistryState = 'connecting' | 'settling' | 'up' | 'lost';

/** Too many vanished at once. */
export interface MassLoss {
  readonly vanished: number;
  /** Of how many. */
  readonly total: number;
}

/** A fleet as a whole. */
export interface FleetView {
  readonly registry: RegistryState;
  readonly total: number;
  readonly counts: Readonly<Record<InstanceState, number>>;
  /** Those whose `down` is held back. */
  readonly held: number;
  readonly massLoss?: MassLoss;
  /** 0 well, up to 4: how unwell the observer itself is. Its time-outs are wider by half of that. */
  readonly unwell: number;
  /** How often the observer had not run for more than 5 s. */
  readonly pauses: number;
}

/** What a fleet tells. */
export type FleetEvent =
  | {
      readonly kind:
        | 'joined'
        /** Silent for longer than it should be, or its lease is gone and it is not clear why. */
        | 'suspect'
        /** A heartbeat came after all, or it took its lease again. */
        | 'recovered'
        | 'down'
        /** It released its lease. No longer in the list. */
        | 'left'
        /** Down for long; no longer in the list. */
        | 'forgotten'
        /** What would be `down` is held back. */
        | 'withheld'
        /** It tells something else about itself. */
        | 'changed';
      readonly instance: FleetInstance;
    }
  /** Nothing is known until `registry_back`; every state is `unknown`. */
  | { readonly kind: 'registry_lost'; readonly error: unknown }
  /** Something below the store's prefix is no lease of hale's, and left out. Told once for each key, and logged. */
  | { readonly kind: 'foreign'; readonly key: string }
  /** Also told at the first look. */
  | { readonly kind: 'registry_back' }
  | ({ readonly kind: 'mass_loss' } & MassLoss)
  /** `confirmed`: the loss is taken for real, by the time it has lasted or by hand. Otherwise enough came back. */
  | { readonly kind: 'mass_loss_over'; readonly confirmed: boolean };
