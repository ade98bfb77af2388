interface Sighting {
  readonly revision: string;
  readonly at: number;
}

/**
 * Times records on the clock of whoever looks at them, for registries that expire nothing themselves: a record that has
 * not changed for its ttl since it was first seen has a holder that is gone. No clock is compared with another.
 */
export class Sightings {
  readonly #seen = new Map<string, Sighting>();

  /**
   * Milliseconds since this revision was first seen, as of the question; 0 at the first look. Between question and answer
   * this process may have been frozen, and the holder has renewed.
   */
  ageMs(key: string, revision: string, now: number, askedAt = now): number {
    const seen = this.#seen.get(key);
    if (seen?.revision === revision) return Math.max(0, askedAt - seen.at);
    this.#seen.set(key, { revision, at: now });
    return 0;
  }

  /** Forgets whatever is not among these keys. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#seen.keys()) if (!keys.has(key)) this.#seen.delete(key);
  }
}
