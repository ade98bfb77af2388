import type { Clock } from '../../core/clock.js';
import { OptionError } from '../../core/errors.js';
import type { LeaseStore } from '../../core/lease-store.js';
import type { Logger } from '../../core/logger.js';
import { durationOption, numberOption, objectOption } from '../../core/validate.js';
import { type Detector, type FleetDetector, createDetector } from './detector.js';
import type { PreserveRules } from './preservation.js';

/** Options of `createFleet`. */
export interface FleetOptions {
  /** Where the leases are. The fleet closes its own watch, not the store. */
  store: LeaseStore;
  /** Only leases whose names begin with this; exit permits (`permits/…`) only if it begins so itself. @defaultValue '' */
  prefix?: string;
  /** How silence is judged. @defaultValue { kind: 'phi' } */
  detector?: FleetDetector;
  /** Time between two looks at a registry that does not tell of changes. @defaultValue 1000 */
  everyMs?: number;
  /** Self-preservation: when too many vanish at once to be true. `false` takes every loss for real. */
  preserve?: FleetPreserve | false;
  /** How long one that is down stays in the list. @defaultValue 600000 */
  forgetAfterMs?: number;
  /** Hears of what a listener throws. @defaultValue JSON lines on standard error */
  logger?: Logger;
  /** @defaultValue the system clock */
  clock?: Clock;
}

/** When a loss is too big to be true. */
export interface FleetPreserve {
  /** Losing more than this share, and more than one, holds back `down`. @defaultValue 0.15 */
  share?: number;
  /** What is "at once". @defaultValue 30000 */
  withinMs?: number;
  /** A loss that lasts this long is taken for real. @defaultValue 300000 */
  holdMs?: number;
}

/** The options of a fleet after defaults. */
export interface ResolvedFleet {
  readonly store: LeaseStore;
  readonly prefix: string;
  readonly detector: Detector;
  readonly everyMs: number;
  readonly preserve: PreserveRules;
  readonly forgetAfterMs: number;
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * Fills in defaults.
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function resolveFleet(
  given: FleetOptions,
  defaults: Pick<ResolvedFleet, 'clock' | 'logger'>,
): ResolvedFleet {
  const options = objectOption('fleet', given);
  const { store, prefix = '', everyMs = 1000, forgetAfterMs = 600_000 } = options;
  if (typeof store?.watch !== 'function')
    throw new OptionError('fleet.store', 'a lease store, such as sqliteLease(db)', store);
  if (typeof prefix !== 'string') throw new OptionError('fleet.prefix', 'a text', prefix);
  return {
    store,
    prefix,
    detector: createDetector(options.detector),
    everyMs: durationOption('fleet.everyMs', everyMs),
    preserve: preserveOption(options.preserve),
    forgetAfterMs: numberOption('fleet.forgetAfterMs', forgetAfterMs, { min: 0 }),
    logger: options.logger ?? defaults.logger,
    clock: options.clock ?? defaults.clock,
  };
}

function preserveOption(given: FleetPreserve | false = {}): PreserveRules {
  // Nobody loses more than all.
  if (given === false) return { share: 1, withinMs: 0, holdMs: 0 };
  const {
    share = 0.15,
    withinMs = 30_000,
    holdMs = 300_000,
  } = objectOption('fleet.preserve', given);
  return {
    share: numberOption('fleet.preserve.share', share, { min: 0, max: 1 }),
    withinMs: durationOption('fleet.preserve.withinMs', withinMs, 0),
    holdMs: numberOption('fleet.preserve.holdMs', holdMs, { min: 0 }),
  };
}
