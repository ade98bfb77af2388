import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findHaproxy, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type Backend, proveHttp } from './load-balancer.js';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

const STATISTICS = '/haproxy-statistics';

/**
 * Starts a real HAProxy in front of backends, asking each one's readiness every 200 ms. It repeats no request, so that
 * every error of a backend is an error for the client.
 * @throws Error that names what to install when the server's program is missing
 */
export async function startHaproxy(backends: readonly Backend[]): Promise<ManagedServer> {
  const file = findHaproxy();
  if (file === undefined) throw missingServersError(['haproxy']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-haproxy-'));
  const config = join(folder, 'haproxy.cfg');
  return startManagedServer({
    name: 'HAProxy',
    folder,
    stopSignal: 'SIGTERM',
    async spawn(port) {
      await writeFile(config, configuration(port, backends));
      return startServerProcess({ file, args: ['-db', '-f', config], folder });
    },
    proveReady: proveHttp,
    url: (port) => `http://127.0.0.1:${port}`,
  });
}

/** One server as HAProxy sees it. */
export interface BackendView {
  /** Such as `UP`, `DOWN`, `DRAIN`. */
  readonly status: string;
  readonly weight: number;
  /** What the agent said last, its reason included. */
  readonly agent: string;
}

/** Asks HAProxy what it thinks of a backend, by its place in the list it was started with. */
export async function backendView(haproxy: ManagedServer, index: number): Promise<BackendView> {
  const response = await fetch(`${haproxy.url}${STATISTICS};csv`);
  const [names = '', ...rows] = (await response.text()).split('\n');
  const row = rows.find((line) => line.startsWith(`back,s${index},`))?.split(',') ?? [];
  const cell = (name: string): string =>
    row[names.replace('# ', '').split(',').indexOf(name)] ?? '';
  return { status: cell('status'), weight: Number(cell('weight')), agent: cell('last_agt') };
}

function agent(port: number | undefined): string {
  return port === undefined ? '' : ` agent-check agent-port ${port} agent-inter 100ms`;
}

function configuration(port: number, backends: readonly Backend[]): string {
  const servers = backends.map(
    ({ port: to, probePort, agentPort }, index) =>
      `  server s${index} 127.0.0.1:${to} weight 100 check port ${probePort} inter 200ms fall 1 rise 1${agent(agentPort)}`,
  );
  return `
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  timeout http-keep-alive 30s
  retries 0
  http-reuse always
frontend front
  bind 127.0.0.1:${port}
  stats enable
  stats uri ${STATISTICS}
  default_backend back
backend back
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
${servers.join('\n')}
`;
}
