export { createLease } from './keeper.js';
export type { Lease } from './lease.js';
export type { LeaseGrant } from './grant.js';
export type { LeaseLoss, LeaseOptions } from './resolve-lease.js';
export { type PollWatch, type PollWatchOptions, createPollWatch } from './poll-watch.js';
export {
  LEASE_OUTCOMES,
  type LeaseContext,
  type LeaseExit,
  type LeaseImpact,
  type LeaseOutcome,
  type LeaseParticipant,
  type LeaseView,
} from '../core/lease-host.js';
export type {
  LeaseAcquired,
  LeaseCall,
  LeaseClaim,
  LeaseEnded,
  LeaseEvent,
  LeaseOwner,
  LeaseQuery,
  LeaseRecord,
  LeaseReleased,
  LeaseRenewal,
  LeaseRenewed,
  LeaseRequest,
  LeaseStore,
  LeaseToken,
  LeaseWatch,
  LeaseWatchContext,
} from '../core/lease-store.js';
export type { LeaseTimingOptions } from '../core/lease-timing.js';
