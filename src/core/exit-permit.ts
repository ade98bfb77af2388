import type { Reason } from './reason.js';

/**
 * Asked before this instance leaves rotation for a reason that may hit every replica at once; `false` keeps it in
 * (R10). One that throws, or gives no answer within 2 s, is logged and counts as yes. A view of the fleet answers it;
 * without one every instance decides for itself.
 */
export type MayLeave = (reason: Reason) => boolean | Promise<boolean>;

/** Without a view of the fleet nobody can say no. */
export const alwaysMayLeave: MayLeave = () => true;
