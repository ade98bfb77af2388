import { writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findAlertmanager, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type ManagedServer, startManagedServer } from './managed-server.js';
import { startServerProcess } from './server-process.js';

async function proveAnswer(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/-/ready`);
  if (!response.ok) throw new Error(`Alertmanager answered ${response.status}`);
}

/** The configuration: each alert by itself, without any wait; JSON is YAML. */
function configOf(webhook: string): string {
  return JSON.stringify({
    route: {
      receiver: 'webhook',
      group_by: ['...'],
      group_wait: '0s',
      group_interval: '250ms',
      repeat_interval: '1h',
    },
    receivers: [{ name: 'webhook', webhook_configs: [{ url: webhook, send_resolved: true }] }],
  });
}

/**
 * Starts a real Alertmanager on a free port of 127.0.0.1 that tells a webhook of each alert and its end.
 * @throws Error that names what to install when a program is missing
 */
export async function startAlertmanager(webhook: string): Promise<ManagedServer> {
  const file = findAlertmanager();
  if (file === undefined) throw missingServersError(['alertmanager']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-alertmanager-'));
  const config = join(folder, 'alertmanager.yml');
  writeFileSync(config, configOf(webhook));
  return startManagedServer({
    name: 'alertmanager',
    folder,
    stopSignal: 'SIGKILL',
    spawn: (port) =>
      startServerProcess({
        file,
        args: [
          `--config.file=${config}`,
          `--storage.path=${join(folder, 'data')}`,
          `--web.listen-address=127.0.0.1:${port}`,
          // By itself: no cluster.
          '--cluster.listen-address=',
          '--log.level=warn',
        ],
        folder,
      }),
    proveReady: proveAnswer,
    url: (port) => `http://127.0.0.1:${port}`,
  });
}
