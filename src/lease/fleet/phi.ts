/** Times between two heartbeats, as a normal distribution. */
export interface Rhythm {
  readonly meanMs: number;
  readonly deviationMs: number;
}

/** What no silence goes beyond: the number itself says nothing any more. */
export const MAX_PHI = 100;

/**
 * How unlikely a silence is, as −log10 of the probability that the heartbeat is still to come: 8 is one in a hundred
 * million. The logistic approximation of the normal distribution that Akka uses; from 0 to {@link MAX_PHI}.
 */
export function phiOf(silentMs: number, { meanMs, deviationMs }: Rhythm): number {
  const exponent = exponentOf((silentMs - meanMs) / deviationMs);
  // −log10(e / (1 + e)) with e = exp(−exponent): this way round it neither overflows nor begins at −0.
  const phi = exponent > 600 ? exponent / Math.LN10 : Math.log1p(Math.exp(exponent)) / Math.LN10;
  return Math.min(phi, MAX_PHI);
}

/** How many deviations after the mean phi reaches a value: the inverse of {@link phiOf}. */
export function deviationsAtPhi(phi: number): number {
  let low = -10;
  let high = 30;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (phiOf(middle, UNIT) < phi) low = middle;
    else high = middle;
  }
  return high;
}

const UNIT: Rhythm = { meanMs: 0, deviationMs: 1 };

function exponentOf(deviations: number): number {
  return deviations * (1.5976 + 0.070566 * deviations * deviations);
}

/** How many intervals a rhythm remembers; older ones fade. */
const REMEMBERED = 100;

/** The rhythm of one instance, learned from its heartbeats. */
export class LearnedRhythm {
  meanMs: number;
  #variance: number;
  #seen = 2;

  /** Begins with an estimate: the mean, give or take a quarter of it. */
  constructor(estimateMs: number) {
    this.meanMs = estimateMs;
    this.#variance = (estimateMs / 4) ** 2;
  }

  get deviationMs(): number {
    return Math.sqrt(this.#variance);
  }

  learn(intervalMs: number): void {
    this.#seen = Math.min(this.#seen + 1, REMEMBERED);
    const weight = 1 / this.#seen;
    const distance = intervalMs - this.meanMs;
    this.meanMs += weight * distance;
    this.#variance = (1 - weight) * (this.#variance + weight * distance * distance);
  }
}
