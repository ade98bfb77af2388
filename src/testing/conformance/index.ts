export { conformanceCases } from './conformance-cases.js';
export type { CaseId } from './case-ids.js';
export type {
  ConformanceAddress,
  ConformanceCase,
  ConformanceException,
  ConformanceOptions,
  ConformanceReport,
  ConformanceServer,
  ConformanceSubject,
  ConformanceTarget,
} from './types.js';
export { ConformanceError, type ConformanceRule, type ConformanceViolation } from './violation.js';
