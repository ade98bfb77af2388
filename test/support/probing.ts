import { type IncomingHttpHeaders, request } from 'node:http';
import type { ProbeOptions } from '../../src/core/probe-options.js';

/** Probe options for a test: free ports on loopback, everything else as by default. */
export function probeOptions(changes: Partial<ProbeOptions> = {}): ProbeOptions {
  const listener = {
    host: '127.0.0.1',
    port: 0,
    maxConnections: 256,
    headersTimeoutMs: 5000,
    maxHeaderBytes: 8192,
  };
  return {
    isolation: 'thread',
    listener,
    diagnostic: false,
    paths: { liveness: ['/livez'], readiness: ['/readyz'], startup: ['/startupz'] },
    details: false,
    warnStatus: 200,
    staleAfterMs: 10_000,
    stallAfterMs: 5000,
    beatMs: 100,
    onDemandWaitMs: 1500,
    ...changes,
  };
}

/** What a prober saw. */
export interface Seen {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly reason: string | undefined;
  readonly ms: number;
}

export interface ProbeCall {
  readonly method?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Probes once over a connection of its own, as an orchestrator does. */
export function probe(port: number, path: string, call: ProbeCall = {}): Promise<Seen> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const { method = 'GET', host = '127.0.0.1', headers = {} } = call;
    const outgoing = request({ host, port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        const ms = performance.now() - start;
        const { statusCode: status = 0, headers: got } = response;
        resolve({ status, headers: got, text, reason: reasonOf(text), ms });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function reasonOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { reason?: string }).reason;
  } catch {
    return undefined;
  }
}
