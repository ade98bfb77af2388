import type { Decision } from '../core/decision.js';
import { type ReasonCode, reasonCode } from '../core/reason.js';

/** What an agent check tells HAProxy. */
export interface AgentCheckInput {
  readonly decision: Decision;
  /** Whether readiness is answered with 200. */
  readonly ready: boolean;
  /** Share of the full weight, percent from 1 to 100; absent leaves the weight alone. */
  readonly weightPercent?: number;
}

/** The instance works but must get nothing new: connections that exist may stay. */
const DRAINING: ReadonlySet<ReasonCode> = new Set([
  'draining',
  'maintenance',
  'at_capacity',
  'held_by_floor',
]);

/**
 * The line HAProxy reads (`agent-check` in its configuration manual): `up ready`, with a weight; `drain` or `down` with
 * the reason after `#`. `ready` lifts an earlier `drain`, which would otherwise outlast its cause, even the process.
 */
export function encodeAgentCheck({ decision, ready, weightPercent }: AgentCheckInput): string {
  if (!ready) {
    const word = DRAINING.has(reasonCode(decision.reason)) ? 'drain' : 'down';
    return `${word} # ${decision.reason}\n`;
  }
  return weightPercent === undefined ? 'up ready\n' : `up ready ${weightPercent}%\n`;
}

/** The weight of an instance that has `inFlight` of at most `limit`; never 0, which would be a drain. */
export function weightByLoad(inFlight: number, limit: number): number {
  return Math.min(100, Math.max(1, Math.round(100 * (1 - inFlight / limit))));
}
