/** How the probes are served; complete, after defaults and environment. */
export interface ProbeOptions {
  readonly isolation: 'thread' | 'inline';
  /** `false` listens on nothing: the handlers are mounted elsewhere. */
  readonly listener: ListenerOptions | false;
  readonly diagnostic: DiagnosticOptions | false;
  /** A port that is open only while readiness passes. */
  readonly tcp?: PortOptions;
  /** For HAProxy's `agent-check`. */
  readonly agentCheck?: AgentCheckOptions;
  /** The gRPC Health Checking Protocol. */
  readonly grpc?: PortOptions;
  readonly paths: ProbePaths;
  /** Whether `?verbose`, `?exclude=` and per-check paths are served on the probe port too. */
  readonly details: boolean;
  /** HTTP status of readiness at status `warn`. */
  readonly warnStatus: 200 | 503;
  readonly staleAfterMs: number;
  readonly stallAfterMs: number;
  readonly beatMs: number;
  /** `false` looks at beats only when a probe asks. @defaultValue true */
  readonly background?: boolean;
  /** Longest time an on-demand probe waits for its checks. */
  readonly onDemandWaitMs: number;
}

export interface ListenerOptions {
  /** Absent: all addresses, dual stack where the machine has IPv6. */
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly maxConnections: number;
  readonly headersTimeoutMs: number;
  readonly maxHeaderBytes: number;
}

/** A listener that speaks something else than HTTP; bounds other than the address are those of the probe port. */
export interface PortOptions {
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port: number;
}

export interface AgentCheckOptions extends PortOptions {
  /** Work in flight at which the weight would be 0; absent leaves the weight alone. */
  readonly fullAt?: number;
}

export interface DiagnosticOptions extends ListenerOptions {
  readonly host: string;
}

/** Which paths answer which question; the first is the canonical one. */
export interface ProbePaths {
  readonly liveness: readonly string[];
  readonly readiness: readonly string[];
  readonly startup: readonly string[];
}
