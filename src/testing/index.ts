export {
  type CaseId,
  type ConformanceAddress,
  type ConformanceCase,
  ConformanceError,
  type ConformanceException,
  type ConformanceOptions,
  type ConformanceReport,
  type ConformanceRule,
  type ConformanceServer,
  type ConformanceSubject,
  type ConformanceTarget,
  type ConformanceViolation,
  conformanceCases,
} from './conformance/index.js';
export {
  type FaultMode,
  type FaultProxy,
  type FaultProxyOptions,
  createFaultProxy,
} from './fault-proxy.js';
export { type ManualClock, type ManualClockOptions, createManualClock } from './manual-clock.js';
