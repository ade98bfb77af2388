import type { Decision } from './decision.js';

/** A report to Consul: the words are those of its HTTP API. */
export interface ConsulReport {
  readonly state: 'pass' | 'warn' | 'fail';
  /** Shown as the check's output. */
  readonly note: string;
}

/** Reports per time to live: one may come late and another get lost. */
const REPORTS_PER_TTL = 3;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;
const LONGEST_NOTE = 512;

/** What Consul is told of a decision. */
export function consulReport({ status, reason, reasons }: Decision): ConsulReport {
  const note = reasons.length === 0 ? reason : reasons.join(', ');
  return { state: status, note: note.slice(0, LONGEST_NOTE) };
}

/** How long to wait after a report that arrived. */
export function reportEveryMs(ttlMs: number): number {
  return ttlMs / REPORTS_PER_TTL;
}

/** How long to wait after so many failures in a row; `random` is in [0, 1) and spreads the replicas by a fifth. */
export function retryAfterMs(failures: number, random: number): number {
  const doubled = FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10);
  return Math.min(LONGEST_RETRY_MS, doubled) * (0.9 + random / 5);
}

/** Where a report goes (`PUT`), below the address of the agent. */
export function consulReportPath(checkId: string, { state, note }: ConsulReport): string {
  return `/v1/agent/check/${state}/${encodeURIComponent(checkId)}?note=${encodeURIComponent(note)}`;
}

/** Where a service is taken off the agent (`PUT`). */
export function consulDeregisterPath(serviceId: string): string {
  return `/v1/agent/service/deregister/${encodeURIComponent(serviceId)}`;
}
