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
  /** Files for exec probes. */
  readonly files?: ProbeFiles;
  /** How systemd is told. */
  readonly systemd?: SystemdNotify;
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
  /** Absent: plain HTTP. */
  readonly tls?: TlsFiles;
}

/** Each is PEM text, or the path of a PEM file. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Only clients whose certificate it signed are let in. */
  readonly clientCa?: string;
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
  /** Bearer tokens, each of which lets in; empty asks for none. */
  readonly tokens: readonly string[];
}

/** Paths of files that each exist while a probe is answered with 200. */
export interface ProbeFiles {
  readonly liveness?: string;
  readonly readiness?: string;
  readonly startup?: string;
}

/** What systemd gave the process, and how messages reach it. */
export interface SystemdNotify {
  /** `caller`: through the function of the options. */
  readonly sender: 'caller' | 'own';
  /** Value of `NOTIFY_SOCKET`. */
  readonly socket: string;
  /** Where the `systemd-notify` program is looked for. */
  readonly searchPath?: string;
  /** Absent: no watchdog is asked for. */
  readonly watchdogMs?: number;
  /** The process the watchdog is for; absent is any. */
  readonly watchdogPid?: number;
  /** A descriptor that is connected to the socket already, and the process it was given to. */
  readonly inherited?: { readonly descriptor: number; readonly pid: number };
  /** How long stopping may take. */
  readonly stopWithinMs: number;
}

/** Which paths answer which question; the first is the canonical one. */
export interface ProbePaths {
  readonly liveness: readonly string[];
  readonly readiness: readonly string[];
  readonly startup: readonly string[];
}
