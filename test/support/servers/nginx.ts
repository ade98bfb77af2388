import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNginx, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type Backend, proveHttp } from './load-balancer.js';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

const CHECK_EVERY_MS = 200;

/**
 * Starts a real nginx in front of backends with kept-alive connections to them. As an ingress controller does, readiness
 * is asked every 200 ms and decides which backends nginx uses. It repeats no request.
 * @throws Error that names what to install when the server's program is missing
 */
export async function startNginx(backends: readonly Backend[]): Promise<ManagedServer> {
  const file = findNginx();
  if (file === undefined) throw missingServersError(['nginx']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-nginx-'));
  const config = join(folder, 'nginx.conf');
  const server = await startManagedServer({
    name: 'nginx',
    folder,
    stopSignal: 'SIGTERM',
    async spawn(port) {
      await writeFile(config, configuration(port, backends, folder));
      const args = ['-p', folder, '-e', 'stderr', '-c', config];
      return startServerProcess({ file, args, folder });
    },
    proveReady: proveHttp,
    url: (port) => `http://127.0.0.1:${port}`,
  });
  const timer = setInterval(() => void markAll(folder, backends), CHECK_EVERY_MS);
  return {
    ...server,
    async dispose() {
      clearInterval(timer);
      await server.dispose();
    },
  };
}

/** A file says that a backend is not ready: nginx looks for it with each request. */
async function markAll(folder: string, backends: readonly Backend[]): Promise<void> {
  await Promise.all(
    backends.map(async ({ probePort }, index) => {
      const file = join(folder, `${index}.down`);
      const ready = await fetch(`http://127.0.0.1:${probePort}/readyz`).then(
        (response) => response.arrayBuffer().then(() => response.ok),
        () => false,
      );
      await (ready ? rm(file, { force: true }) : writeFile(file, '')).catch(() => {});
    }),
  );
}

/** Every set of backends that can be ready at once, by their indices. */
function subsets(count: number): number[][] {
  return Array.from({ length: 2 ** count - 1 }, (_, bits) =>
    Array.from({ length: count }, (_unused, index) => index).filter(
      (index) => ((bits + 1) >> index) % 2 === 1,
    ),
  );
}

function configuration(port: number, backends: readonly Backend[], folder: string): string {
  const upstreams = subsets(backends.length).map((indices) => {
    const servers = indices.map(
      (index) => `server 127.0.0.1:${backends[index]?.port} max_fails=0;`,
    );
    return `upstream back_${indices.join('')} { ${servers.join(' ')} keepalive 16; }`;
  });
  const chosen = backends.map(
    (_, index) => `if (!-f ${folder}/${index}.down) { set $ready "\${ready}${index}"; }`,
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 512; }
http {
  access_log off;
  ${temporary.join('\n  ')}
  ${upstreams.join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 100000;
    location / {
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_next_upstream off;
      set $ready "";
      ${chosen.join('\n      ')}
      proxy_pass http://back_$ready;
    }
  }
}
`;
}
