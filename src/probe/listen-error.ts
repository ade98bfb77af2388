import type { Cluster } from 'node:cluster';
import type { BoundAddress } from '../core/probe-host.js';
import { HaleError } from '../core/errors.js';

/** Why a listener could not be bound, as plain data that crosses the thread boundary. */
export interface ListenFailure {
  readonly kind: BoundAddress['kind'];
  readonly host: string;
  readonly port: number;
  /** The system's code, such as `EADDRINUSE`. */
  readonly code: string;
  readonly message: string;
}

/** What the process was started by, as far as it explains a taken port. */
export interface ProcessManager {
  readonly clusterWorker: boolean;
  readonly pm2: boolean;
}

/** What this process was started by; `node:cluster` is loaded only here, where a failure is to be explained. */
export function processManager(): ProcessManager {
  const cluster = process.getBuiltinModule('node:cluster') as unknown as Cluster;
  return { clusterWorker: cluster.isWorker, pm2: process.env['pm_id'] !== undefined };
}

/** How the message of a certificate or key that cannot be used begins. */
export const BAD_CERTIFICATE = 'certificate or key cannot be used';

const SETTINGS = {
  probes: 'probes.port (HALE_PORT)',
  diagnostic: 'diagnostic.port (HALE_DIAGNOSTIC_PORT)',
  tcp: 'probes.tcp.port (HALE_TCP_PORT)',
  agentCheck: 'probes.agentCheck.port (HALE_AGENT_CHECK_PORT)',
  grpc: 'probes.grpc.port (HALE_GRPC_PORT)',
} as const;

/** Turns a failure into the error that `start()` rejects with. */
export function listenError(failure: ListenFailure, manager: ProcessManager): HaleError {
  const { kind, host, port, code, message } = failure;
  const where = `${formatHost(host)}:${port}`;
  const cause = new Error(message);
  if (code === 'EADDRINUSE') {
    const text = `${kind} cannot listen on ${where}: the port is taken; set ${SETTINGS[kind]} to a free one${hint(manager, kind)}`;
    return new HaleError('HALE_PORT_IN_USE', text, { cause });
  }
  const setting = message.startsWith(BAD_CERTIFICATE) ? `${kind}.tls` : SETTINGS[kind];
  const text = `${kind} cannot listen on ${where}: ${message} (${code}); see ${setting}`;
  return new HaleError('HALE_LISTEN_FAILED', text, { cause });
}

/** An address as a URL writes it. */
export function formatHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function hint({ clusterWorker, pm2 }: ProcessManager, kind: BoundAddress['kind']): string {
  if (!clusterWorker && !pm2) return '';
  const by = pm2 ? 'PM2 instance' : 'cluster worker';
  return (
    `. This process is a ${by}: each one answers for itself and needs a port of its own, ` +
    `for example ${SETTINGS[kind].split(' ')[0]} 0 for a free one or the base port plus the instance's number`
  );
}
