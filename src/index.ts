export { createHealth } from './create-health.js';
export type { ChangeMessage } from './changes.js';
export type { ChangeStream, ChangesOptions } from './core/change-stream.js';
export type { Health, HealthChange, Report } from './health.js';
export type { AdmissionOptions } from './core/admission-options.js';
export type { CapacityOptions } from './core/capacity.js';
export type {
  Check,
  CheckContext,
  CheckOptions,
  CheckResult,
  CheckReturn,
  CheckRun,
  CheckStatus,
  Impact,
  JsonValue,
  Status,
} from './core/check.js';
export type { Clock, Random, Timer, TimerOptions } from './core/clock.js';
export {
  type AimdOptions,
  type ConcurrencyLimit,
  type LimitSample,
  createAimdLimit,
} from './core/concurrency-limit.js';
export type { Decision } from './core/decision.js';
export { HaleError, type HaleErrorCode, OptionError, isHaleError } from './core/errors.js';
export type { Diagnosis } from './core/diagnosis.js';
export type { DrainStepName, StepReport } from './core/drain-plan.js';
export type { DrainProgress } from './core/drain-progress.js';
export type { MayLeave } from './core/exit-permit.js';
export type { GroupOptions } from './core/group.js';
export type { GuardOptions, GuardPredicate } from './core/guard.js';
export type {
  DiagnosticListenerOptions,
  HealthOptions,
  LeasesOptions,
  LivenessOptions,
  MutualTlsOptions,
  ProbeFileOptions,
  ProbeListenerOptions,
  ProtocolListenerOptions,
  ShutdownOptions,
  StartupOptions,
  SystemdOptions,
  TlsOptions,
} from './core/health-options.js';
export type { LeaseParticipant } from './core/lease-host.js';
export type { Logger, LogFields } from './core/logger.js';
export { type MessageFirstLogger, messageFirst } from './core/message-first.js';
export type { HistogramView } from './core/histogram.js';
export { METRICS, type MetricDefinition } from './core/metric-definitions.js';
export type { MetricLabels, MetricReading, MetricSample } from './core/metric-readings.js';
export type { Outcome } from './core/outcome.js';
export type { PathSet } from './core/path-sets.js';
export type { Phase } from './core/phase.js';
export type { BoundAddress } from './core/probe-host.js';
export type { ProbePaths } from './core/probe-options.js';
export type { CheckView, ComponentInfo, LastOutcome, StartupView } from './core/probe-state.js';
export { REASON_CODES, type Reason, type ReasonCode } from './core/reason.js';
export type {
  AdmissionMiddleware,
  AdmissionResponse,
  AdmissionResult,
} from './engine/admission.js';
export type { DrainHook, DrainHookOptions, DrainStage } from './engine/drain-hooks.js';
export type { DrainableServer, DrainsOptions } from './engine/drain-targets.js';
export type { DrainResult } from './engine/drain.js';
export type { StreamLike, StreamOptions } from './engine/streams.js';
export type { WebSocketLike, WebSocketServerLike } from './engine/tracked-web-sockets.js';
export type { CheckTransition } from './engine/monitored-check.js';
export type { Progress, ProgressOptions } from './engine/progress.js';
export type {
  ReadBacklog,
  WorkerAdapter,
  WorkerContext,
  WorkerHandle,
  WorkerHost,
  WorkerOptions,
} from './core/worker.js';
export type { QueueProgress, QueueProgressOptions } from './engine/queue-progress.js';
export type { ReadinessChange } from './engine/readiness-watch.js';
export type { StartupTask, StartupTaskOptions, WarmUpOptions } from './engine/startup-tasks.js';
export {
  type ParsedEntry,
  type ParsedHealth,
  type ParseResult,
  parseHealthJson,
} from './core/parse-health-json.js';
export type { ProbeRequest, RequestHeaders } from './probe/handler.js';
export type { ProbeResponse } from './probe/prepared.js';
