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

/** Options of {@link startPrometheus}. */
export interface PrometheusOptions {
  /** What is scraped, by job. */
  readonly jobs: Readonly<Record<string, readonly string[]>>;
  /** A file of rules, evaluated twice a second. */
  readonly rules?: string;
  /** `host:port` of who is told of alerts. */
  readonly alertmanager?: string;
}

/** The configuration; JSON is YAML. */
function configOf({ jobs, rules, alertmanager }: PrometheusOptions): string {
  return JSON.stringify({
    global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
    scrape_configs: Object.entries(jobs).map(([job, targets]) => ({
      job_name: job,
      static_configs: [{ targets }],
    })),
    ...(rules && { rule_files: [rules] }),
    ...(alertmanager && {
      alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] },
    }),
  });
}

/**
 * Starts a real Prometheus on a free port of 127.0.0.1 that scrapes its targets twice a second.
 * @throws Error that names what to install when a program is missing
 */
export async function startPrometheus(options: PrometheusOptions): Promise<ManagedServer> {
  const found = findPrometheus();
  if (found === undefined) throw missingServersError(['prometheus']);
  const folder = await mkdtemp(join(tmpdir(), 'hale-prometheus-'));
  const config = join(folder, 'prometheus.yml');
  writeFileSync(config, configOf(options));
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
          '--rules.alert.resend-delay=5s',
        ],
        folder,
      }),
    proveReady: proveAnswer,
    url: (port) => `http://127.0.0.1:${port}`,
  });
}
