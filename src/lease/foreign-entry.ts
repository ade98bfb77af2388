import type { LeaseCall } from '../core/lease-store.js';

/** Longer keys are cut: anybody may have written them. */
const LONGEST_KEY = 200;

/** Something below the prefix of a store that is none of hale's. Its value stays out of the text. */
export class ForeignEntry extends Error {
  readonly key: string;

  constructor(backend: string, key: string) {
    const told = key.slice(0, LONGEST_KEY);
    super(`${backend} has something else than a lease under "${told}"`);
    this.key = told;
  }
}

/** What can be read of a list, by name. What is none of hale's is told to the call, and hides nothing else. */
export function readable<E, T extends { readonly name: string }>(
  entries: Iterable<E>,
  read: (entry: E) => T | undefined,
  call: LeaseCall,
): T[] {
  const found: T[] = [];
  for (const entry of entries) {
    const one = unlessForeign(() => read(entry), call);
    if (one !== undefined) found.push(one);
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function unlessForeign<T>(read: () => T, call: LeaseCall): T | undefined {
  try {
    return read();
  } catch (error) {
    return passForeign(error, call);
  }
}

/** Tells the call of a foreign entry. @throws any other error */
export function passForeign(error: unknown, { onForeign }: LeaseCall): undefined {
  if (!(error instanceof ForeignEntry)) throw error;
  onForeign?.(error.key);
}
