export type { CaseId } from './conformance/case-ids.js';
export { conformanceCases } from './conformance/conformance-cases.js';
export type {
  ConformanceAddress,
  ConformanceCase,
  ConformanceException,
  ConformanceOptions,
  ConformanceReport,
  ConformanceServer,
  ConformanceSubject,
  ConformanceTarget,
} from './conformance/types.js';
export {
  ConformanceError,
  type ConformanceRule,
  type ConformanceViolation,
} from './conformance/violation.js';
export {
  type FaultMode,
  type FaultProxy,
  type FaultProxyOptions,
  createFaultProxy,
} from './fault-proxy.js';
export { type ManualClock, type ManualClockOptions, createManualClock } from './manual-clock.js';
