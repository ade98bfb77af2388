import { contain } from '../core/contain.js';
import type { LeaseView } from '../core/lease-host.js';
import type { Publisher } from './publisher.js';

export interface LeaseRecordOptions {
  readonly publisher: Pick<Publisher, 'patch'>;
  readonly leases: { views(): readonly LeaseView[] };
  /** What a lease of the caller's own throws. */
  onError(error: unknown, where: string): void;
  /** Called after each look. */
  next(): void;
}

/** Publishes the leases; the returned function looks, and is called in each turn of the schedule. */
export function createLeaseRecord(options: LeaseRecordOptions): () => void {
  const { publisher, leases: set, onError, next } = options;
  let published = '';
  const look = (): void => {
    const leases = set.views();
    // What only time changes is no news.
    const seen = JSON.stringify(leases.map(({ name, state, outcomes }) => [name, state, outcomes]));
    if (seen === published || (published === '' && leases.length === 0)) return;
    published = seen;
    publisher.patch({ leases });
  };
  // Contained: the schedule that calls it must go on.
  return () => {
    contain(look, (error) => onError(error, 'the view of a lease'));
    next();
  };
}
