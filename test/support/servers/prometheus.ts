import { writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrometheus, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

async function proveAnswer(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/-/ready`);
  if (!response.ok) throw new Error(`Prometheus answered ${response.status}`);
}

/**
 * Starts a real Prometheus on a free port of 127.0.0.1 that scrapes one target four times a second.
 * @throws Error that names what to install when a program is missing
 */
export async function startPrometheus(target: string): Promise<ManagedServer> {
  const found = findPrometheus();
  if (found === undefined) throw missingServersError(['prometheus']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-prometheus-'));
  const config = join(folder, 'prometheus.yml');
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '250ms', scrape_timeout: '250ms' },
      scrape_configs: [{ job_name: 'hale', static_configs: [{ targets: [target] }] }],
    }),
  );
  return startManagedServer({
    name: 'prometheus',
    folder,
    stopSignal: 'SIGKILL',
    spawn: (port) =>
      startServerProcess({
        file: found.server,
        args: [
          `--config.file=${config}`,
          `--storage.tsdb.path=${join(folder, 'data')}`,
          `--web.listen-address=127.0.0.1:${port}`,
          '--log.level=warn',
        ],
        folder,
      }),
    proveReady: proveAnswer,
    url: (port) => `http://127.0.0.1:${port}`,
  });
}
