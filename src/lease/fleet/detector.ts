import { OptionError } from '../../core/errors.js';
import { hardAfterMs } from '../../core/lease-timing.js';
import {
  choiceOption,
  durationOption,
  numberOption,
  objectOption,
  positiveOption,
} from '../../core/validate.js';
import { type Rhythm, deviationsAtPhi } from './phi.js';

/** How silence is judged. Nothing is down before half the ttl, and everything is at {@link silenceLimitMs}. */
export type FleetDetector =
  | {
      /** By the rhythm that each instance has shown: a silence is odd when it does not fit. */
      readonly kind: 'phi';
      /** @defaultValue 8 */
      readonly suspectPhi?: number;
      /** @defaultValue 12 */
      readonly downPhi?: number;
      /** A pause that is normal, on top of the rhythm. @defaultValue 10000, or a third of the ttl if that is less */
      readonly pauseMs?: number;
      /** How regular a rhythm is taken to be at most. @defaultValue 1000, or a thirtieth of the ttl if that is less */
      readonly minDeviationMs?: number;
    }
  | {
      /** By the clock alone. */
      readonly kind: 'timeout';
      /** @defaultValue two thirds of the ttl: two missed heartbeats */
      readonly suspectAfterMs?: number;
      /** @defaultValue the ttl, less what its holder keeps as a margin: three missed heartbeats */
      readonly downAfterMs?: number;
    };

/** From when on a silence means something, milliseconds after the last heartbeat. */
export interface Deadlines {
  /** Later than any heartbeat is expected. */
  readonly lateMs: number;
  readonly suspectMs: number;
  readonly downMs: number;
}

/** Judges the silence of instances; pure. */
export interface Detector {
  deadlines(ttlMs: number, rhythm: Rhythm): Deadlines;
  /** The rhythm that phi is worked out from: what was learned, made tolerant. */
  tolerant(ttlMs: number, rhythm: Rhythm): Rhythm;
}

/** Longer than a holder of hale works on without a renewal, and shorter than the registry waits. */
export function silenceLimitMs(ttlMs: number): number {
  return hardAfterMs(ttlMs, { ttlMs, marginMs: Math.min(500, ttlMs / 20) });
}

/** How often an instance is expected to renew, until it has shown it. */
export function heartbeatMs(ttlMs: number): number {
  return ttlMs / 3;
}

/** A heartbeat that is this much later than usual is late. */
const LATE = 1.5;

/**
 * Creates the judge.
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function createDetector(given: FleetDetector = { kind: 'phi' }): Detector {
  const detector = objectOption('fleet.detector', given);
  choiceOption('fleet.detector.kind', detector.kind, ['phi', 'timeout']);
  const tolerant = toleranceOf(detector.kind === 'phi' ? detector : { kind: 'phi' });
  const times = detector.kind === 'phi' ? byPhi(detector, tolerant) : byTimeout(detector);
  return {
    tolerant,
    deadlines(ttlMs, rhythm) {
      const { suspectMs, downMs } = times(ttlMs, rhythm);
      const down = Math.max(ttlMs / 2, Math.min(downMs, silenceLimitMs(ttlMs)));
      return {
        lateMs: Math.min(LATE * Math.max(rhythm.meanMs, ttlMs / 10), down),
        suspectMs: Math.min(suspectMs, down),
        downMs: down,
      };
    },
  };
}

type Times = (ttlMs: number, rhythm: Rhythm) => Omit<Deadlines, 'lateMs'>;

function toleranceOf({
  pauseMs,
  minDeviationMs,
}: Extract<FleetDetector, { kind: 'phi' }>): Detector['tolerant'] {
  if (pauseMs !== undefined) durationOption('fleet.detector.pauseMs', pauseMs, 0);
  if (minDeviationMs !== undefined) durationOption('fleet.detector.minDeviationMs', minDeviationMs);
  return (ttlMs, { meanMs, deviationMs }) => ({
    meanMs: meanMs + (pauseMs ?? Math.min(10_000, ttlMs / 3)),
    deviationMs: Math.max(deviationMs, minDeviationMs ?? Math.min(1000, ttlMs / 30)),
  });
}

function byPhi(
  { suspectPhi = 8, downPhi = 12 }: Extract<FleetDetector, { kind: 'phi' }>,
  tolerant: Detector['tolerant'],
): Times {
  const suspect = deviationsAtPhi(positiveOption('fleet.detector.suspectPhi', suspectPhi, 90));
  const down = deviationsAtPhi(
    numberOption('fleet.detector.downPhi', downPhi, { min: suspectPhi, max: 90 }),
  );
  return (ttlMs, rhythm) => {
    const { meanMs, deviationMs } = tolerant(ttlMs, rhythm);
    return {
      suspectMs: meanMs + suspect * deviationMs,
      downMs: meanMs + down * deviationMs,
    };
  };
}

function byTimeout({
  suspectAfterMs,
  downAfterMs,
}: Extract<FleetDetector, { kind: 'timeout' }>): Times {
  if (suspectAfterMs !== undefined) durationOption('fleet.detector.suspectAfterMs', suspectAfterMs);
  if (downAfterMs !== undefined) durationOption('fleet.detector.downAfterMs', downAfterMs);
  if (downAfterMs !== undefined && downAfterMs < (suspectAfterMs ?? 0))
    throw new OptionError('fleet.detector.downAfterMs', 'suspectAfterMs or more', downAfterMs);
  return (ttlMs) => ({
    suspectMs: suspectAfterMs ?? (ttlMs * 2) / 3,
    downMs: downAfterMs ?? silenceLimitMs(ttlMs),
  });
}
