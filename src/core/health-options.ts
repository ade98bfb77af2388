import type { AdmissionOptions } from './admission-options.js';
import type { CapacityOptions } from './capacity.js';
import type { Check, CheckOptions, CheckRun } from './check.js';
import type { Clock, Random } from './clock.js';
import type { ExitPermits, MayLeave } from './exit-permit.js';
import type { GroupOptions } from './group.js';
import type { GuardOptions, GuardPredicate } from './guard.js';
import type { Logger } from './logger.js';
import type { PathSet } from './path-sets.js';
import type { ProbePaths } from './probe-options.js';

/** Options of `createHealth`; every one has a default, listed with its reason in `defaults.ts`. */
export interface HealthOptions {
  /** Shown on the diagnostic endpoint, like the three that follow; empty counts as unset. */
  version?: string | undefined;
  releaseId?: string | undefined;
  serviceId?: string | undefined;
  description?: string | undefined;
  /** Check name → a function, or a function with options. */
  checks?: Readonly<Record<string, CheckRun | Check>>;
  /** Options for every check that does not set its own. */
  checkDefaults?: Pick<
    CheckOptions,
    | 'intervalMs'
    | 'timeoutMs'
    | 'failureThreshold'
    | 'successThreshold'
    | 'mode'
    | 'ttlMs'
    | 'failureTtlMs'
  >;
  /** Checks running at once. @defaultValue 8 */
  concurrency?: number;
  groups?: Readonly<Record<string, GroupOptions>>;
  liveness?: LivenessOptions;
  startup?: StartupOptions;
  /** `false` listens on no probe port: the handlers are mounted on a server of yours. */
  probes?: ProbeListenerOptions | false;
  /** `false` has no diagnostic listener. */
  diagnostic?: DiagnosticListenerOptions | false;
  /**
   * Tells systemd of start-up, liveness and the end, for `Type=notify` and `WatchdogSec=`; does nothing where systemd
   * did not ask for it. @defaultValue false
   */
  systemd?: boolean | SystemdOptions;
  /** Requests and counted work in flight beyond which readiness says `at_capacity`. @defaultValue no limit */
  capacity?: CapacityOptions;
  /** Requests worked on at once, for `health.admission()`. @defaultValue `capacity.leaveAt` */
  admission?: AdmissionOptions;
  /**
   * Asked before this instance leaves rotation for a reason that may hit every replica: a function, or `exitPermits()` of
   * `hale/lease/permits`. @defaultValue always allowed
   */
  mayLeave?: MayLeave | ExitPermits;
  /** After how long the load balancer in front closes idle connections; HTTP servers are set to outlive them. */
  loadBalancerIdleTimeoutMs?: number;
  shutdown?: ShutdownOptions;
  leases?: LeasesOptions;
  /** Whether SIGTERM, SIGINT and uncaught errors are handled. @defaultValue true */
  signals?: boolean;
  /** Where probes are answered: on a thread of their own, or inline on the main loop. @defaultValue 'thread' */
  isolation?: 'thread' | 'inline';
  /**
   * `false` runs no timer of hale's own, for platforms that freeze the process between requests: checks run when a
   * probe asks. Needs `isolation: 'inline'`. @defaultValue true
   */
  background?: boolean;
  /** Further key names whose values are secret. */
  redactKeys?: readonly string[];
  /** @defaultValue JSON lines on standard error */
  logger?: Logger;
  /** @defaultValue the system clock */
  clock?: Clock;
  /** @defaultValue Math.random */
  random?: Random;
  /** Where `HALE_…` variables are read. @defaultValue process.env */
  env?: Readonly<Record<string, string | undefined>>;
}

export interface LeasesOptions {
  /**
   * Whether a thread ends this process when the deadline of a lease passes and the main loop has not ended it; `false` for
   * a debugger only. @defaultValue true
   */
  killSwitch?: boolean;
}

export interface LivenessOptions {
  /** Guard name → a synchronous predicate over the process, or one with options. */
  guards?: Readonly<Record<string, GuardPredicate | GuardOptions>>;
  /** How long the main loop may stand still. @defaultValue 5000 */
  stallAfterMs?: number;
}

export interface StartupOptions {
  /** Time for all start-up tasks together. @defaultValue 150000 */
  budgetMs?: number;
  /** What happens when the budget is spent, beyond the reason and the log line. @defaultValue 'report' */
  onTimeout?: 'report' | 'exit';
}

export interface ProbeListenerOptions {
  /** 0 picks a free port. @defaultValue 9400 */
  port?: number;
  /** @defaultValue all addresses, dual stack */
  host?: string;
  /** A known set of paths, or your own. @defaultValue 'kubernetes' */
  paths?: PathSet | Partial<ProbePaths>;
  /** Paths answered next to the canonical ones. */
  aliases?: Partial<ProbePaths>;
  /** Serve `?verbose`, `?exclude=` and per-check paths here too. @defaultValue false */
  details?: boolean;
  /** HTTP status of readiness at status `warn`. @defaultValue 200 */
  warnStatus?: 200 | 503;
  /** @defaultValue 256 */
  maxConnections?: number;
  /** A port that is open only while readiness passes, for balancers that just connect. @defaultValue none */
  tcp?: ProtocolListenerOptions;
  /** A port that answers HAProxy's `agent-check`; with `capacity` the weight follows the load. @defaultValue none */
  agentCheck?: ProtocolListenerOptions;
  /** A port that speaks the gRPC Health Checking Protocol, without TLS. @defaultValue none */
  grpc?: ProtocolListenerOptions;
  /** Serve HTTPS instead of HTTP. @defaultValue plain HTTP */
  tls?: TlsOptions;
  /**
   * Absolute paths of files for exec probes: each exists while its probe is answered with 200, and its modification
   * time moves on every two seconds. @defaultValue none
   */
  files?: ProbeFileOptions;
}

/** Certificate and key, each as PEM text or as the path of a PEM file, which is read again when it changes. */
export interface TlsOptions {
  cert: string;
  key: string;
}

/** {@link TlsOptions} with which clients can be told from one another. */
export interface MutualTlsOptions extends TlsOptions {
  /** Certificate authority of the clients; a client without a certificate of it is not let in. */
  clientCa?: string;
}

/** Paths of the files, one for each question. */
export interface ProbeFileOptions {
  liveness?: string;
  readiness?: string;
  startup?: string;
}

/** How systemd is told. */
export interface SystemdOptions {
  /**
   * Sends one message to the socket in `NOTIFY_SOCKET`. Called on the main thread. @defaultValue over an inherited
   * descriptor named `notify`, or else with the program `systemd-notify`
   */
  send?: (message: string) => void;
}

/** Where a listener for another protocol than HTTP binds. */
export interface ProtocolListenerOptions {
  /** 0 picks a free port. */
  port: number;
  /** @defaultValue the host of the probe port */
  host?: string;
}

export interface DiagnosticListenerOptions {
  /** 0 picks a free port. @defaultValue 9401 */
  port?: number;
  /** An address other machines can reach needs `token`, `tls.clientCa` or `unprotected`. @defaultValue '127.0.0.1' */
  host?: string;
  /** A bearer token of at least 16 characters, or several, that callers must show. @defaultValue none */
  token?: string | readonly string[];
  /** Serve HTTPS, with `clientCa` to clients with a certificate only. @defaultValue plain HTTP */
  tls?: MutualTlsOptions;
  /** Lets anybody who can connect read everything. @defaultValue false */
  unprotected?: boolean;
}

export interface ShutdownOptions {
  /** Time between failing readiness and closing the servers. @defaultValue 10000 with servers, 0 without */
  propagationDelayMs?: number;
  /** One deadline for the whole sequence. @defaultValue 25000 */
  deadlineMs?: number;
  /** The time after which the platform kills, where it is known: hale warns when the drain does not fit below it. */
  gracePeriodMs?: number;
  /** The deadline after an uncaught exception. @defaultValue 5000 */
  crashDeadlineMs?: number;
  /** `'leave'` installs no listener: Node.js, or whoever listens, decides. @defaultValue 'shutdown' */
  onUncaughtException?: 'shutdown' | 'leave';
  /** Whether an unhandled rejection ends the process like an uncaught exception. @defaultValue 'shutdown' */
  onUnhandledRejection?: 'shutdown' | 'log' | 'leave';
  /** Whether the drain is told in lines for people. @defaultValue true when standard error is a terminal */
  showProgress?: boolean;
}
