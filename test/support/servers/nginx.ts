import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNginx, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type Backend, proveHttp } from './load-balancer.js';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

/**
 * Starts a real nginx in front of backends with kept-alive connections to them. It knows no active checks: a refused
 * connection goes to the next backend, a request that has been sent is not repeated.
 * @throws Error that names what to install when the server's program is missing
 */
export async function startNginx(backends: readonly Backend[]): Promise<ManagedServer> {
  const file = findNginx();
  if (file === undefined) throw missingServersError(['nginx']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-nginx-'));
  const config = join(folder, 'nginx.conf');
  return startManagedServer({
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
}

function configuration(port: number, backends: readonly Backend[], folder: string): string {
  const servers = backends.map(
    ({ port: to }) => `server 127.0.0.1:${to} max_fails=1 fail_timeout=1s;`,
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
  upstream back {
    ${servers.join('\n    ')}
    keepalive 16;
  }
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 100000;
    location / {
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_pass http://back;
    }
  }
}
`;
}
