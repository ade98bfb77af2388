import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../tools/lib/run.mjs';
import { type AlertReceiver, startAlertReceiver } from '../support/alert-receiver.js';
import { freePort } from '../support/free-port.js';
import { type OrderService, eventually, startOrderService } from '../support/order-service.js';
import { scaleRules } from '../support/scaled-rules.js';
import { startAlertmanager } from '../support/servers/alertmanager.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.js';
import { startPrometheus } from '../support/servers/prometheus.js';
import { type Worker, holdRequest, startWorker } from './alerting-kit.js';
import { type PanelQuery, dashboardQueries } from './dashboard-queries.js';

/** A minute of the rules is a second here. */
const FACTOR = 60;
/** Each waits seconds; the rest is for a machine that is busy. */
const WITHIN_MS = 40_000;

/** Queries of panels that this scenario cannot fill, and why. */
const MAY_BE_EMPTY: Readonly<Record<string, string>> = {
  'Ends that Kubernetes saw': 'there is no kube-state-metrics',
  'Start-up': 'a week ago there was nothing',
};

const folder = mkdtempSync(path.join(tmpdir(), 'hale-alerting-'));
let postgres: PostgresServer;
let receiver: AlertReceiver;
let alertmanager: ManagedServer;
let prometheus: ManagedServer;
let service: OrderService;
let worker: Worker;
let port: number;
let startedAt: number;

/** The service on the port that Prometheus scrapes, quick to notice and in no hurry to leave. */
function start(): Promise<OrderService> {
  return startOrderService({
    entry: 'main',
    env: {
      DATABASE_URL: postgres.url,
      HALE_DEMO_FAULTS: '1',
      HALE_PORT: String(port),
      HALE_INTERVAL_MS: '300',
      HALE_TIMEOUT_MS: '500',
      HALE_FAILURE_THRESHOLD: '2',
      HALE_SUCCESS_THRESHOLD: '1',
      HALE_STALL_AFTER_MS: '1500',
      HALE_PROPAGATION_DELAY_MS: '2500',
    },
  });
}

beforeAll(async () => {
  port = await freePort();
  [postgres, receiver] = await Promise.all([startPostgres(), startAlertReceiver()]);
  const rules = path.join(folder, 'alerts.yml');
  const shipped = readFileSync(path.join(ROOT, 'observability/alerts.yml'), 'utf8');
  writeFileSync(rules, scaleRules(shipped, FACTOR));
  await Promise.all([
    startWorker().then((started) => (worker = started)),
    start().then((started) => (service = started)),
    startAlertmanager(receiver.url).then((started) => (alertmanager = started)),
  ]);
  await service.until('/readyz', 200, WITHIN_MS);
  startedAt = Date.now();
  prometheus = await startPrometheus({
    jobs: { orders: [`127.0.0.1:${port}`], worker: [`127.0.0.1:${worker.port}`] },
    rules,
    alertmanager: `127.0.0.1:${alertmanager.port}`,
  });
});
afterAll(async () => {
  await Promise.all([service?.stop('SIGKILL'), worker?.close(), prometheus?.dispose()]);
  await Promise.all([alertmanager?.dispose(), receiver?.close(), postgres?.dispose()]);
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: { readonly result: readonly unknown[] };
}

async function ask(what: string, parameters: Record<string, string>): Promise<Answer> {
  const url = `${prometheus.url}/api/v1/${what}?${String(new URLSearchParams(parameters))}`;
  return (await (await fetch(url)).json()) as Answer;
}

/** What a query gave at any time of the scenario. */
function over({ expr }: PanelQuery): Promise<Answer> {
  const [from, to] = [startedAt, Date.now()].map((ms) => String(ms / 1000));
  return ask('query_range', { query: expr, start: from ?? '', end: to ?? '', step: '0.5' });
}

/** Waits until a query gives so many series. */
async function scraped(query: string, count = 1): Promise<void> {
  await eventually(
    async () => ((await ask('query', { query })).data.result.length === count ? true : undefined),
    WITHIN_MS,
    () => `${query} gives ${count} series`,
  );
}

const fires = (name: string) => receiver.until(name, 'firing', WITHIN_MS);
const ends = (name: string) => receiver.until(name, 'resolved', WITHIN_MS);

async function restart(): Promise<void> {
  service = await start();
  await service.until('/readyz', 200, WITHIN_MS);
}

describe('a real Prometheus and Alertmanager beside the order service', () => {
  it('O3: nothing fires while all is well', async () => {
    await scraped('hale_probe_status{probe="readiness"} == 1', 2);
    await service.fetch('/orders');
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(receiver.told).toStrictEqual([]);
  });

  it('O3: a crash is told as unexplained, by neither liveness nor a rollout', async () => {
    worker.certificate.show('old');
    await service.stop('SIGKILL');
    await restart();
    const { annotations } = await fires('HaleRestartUnexplained');
    expect(annotations['summary']).toBe(`127.0.0.1:${port} of orders crashed or was killed`);
  });

  it('O3: with its mail down it is degraded, and the text names the check', async () => {
    await service.fault('mail?mode=down');
    const { annotations } = await fires('HaleDegraded');
    expect(annotations['description']).toMatch(/Checks that do not pass: .*mail/);
    await service.fault('mail?mode=ok');
    await ends('HaleDegraded');
  });

  it('O3: with a slow database it is not ready, which is all there are, until it is quick again', async () => {
    await service.fault('database?mode=slow&ms=3000');
    const [single, none] = await Promise.all([
      fires('HaleNotReady'),
      fires('HaleNoneReady'),
      fires('HaleReadyBelowNeed'),
    ]);
    expect(single.annotations['description']).toContain('check_failed');
    expect(none.labels).toMatchObject({ severity: 'critical', job: 'orders' });
    await service.fault('database?mode=ok');
    await Promise.all(['HaleNotReady', 'HaleNoneReady', 'HaleReadyBelowNeed'].map(ends));
    await ends('HaleRestartUnexplained');
  });

  it('O3: with its loop blocked liveness fails, and the restart is told as one by liveness', async () => {
    await service.fault('loop?ms=60000');
    const { annotations } = await fires('HaleLivenessFailing');
    expect(annotations['description']).toContain('event_loop_stalled');
    // What an orchestrator would do.
    await service.stop('SIGKILL');
    await restart();
    await Promise.all([fires('HaleRestartByLiveness'), ends('HaleLivenessFailing')]);
  });

  it('O3: a drain that takes long, and a process that is then gone, are told until it is back', async () => {
    const held = await holdRequest(`${service.urls.app}/orders`);
    const gone = service.stop('SIGTERM');
    await fires('HaleDrainStuck');
    await scraped('hale_drain_step_duration_seconds_count{step="propagation"}');
    expect(await held.finish()).toBe(201);
    expect((await gone).code).toBe(0);
    await fires('HaleTargetDown');
    await restart();
    await Promise.all(['HaleTargetDown', 'HaleDrainStuck', 'HaleRestartByLiveness'].map(ends));
  });

  it('O3: a certificate with two days left is told, and its renewal too', async () => {
    const { annotations } = await fires('HaleCertificateUrgent');
    await fires('HaleCertificateExpiring');
    expect(annotations['description']).toMatch(/^It is valid for (?:1\.9|2) days, as /);
    worker.certificate.show('renewed');
    await Promise.all(['HaleCertificateUrgent', 'HaleCertificateExpiring'].map(ends));
  });

  it('O3, R10: an instance that would leave and may not is told until its check passes', async () => {
    worker.setBroken(true);
    const { labels } = await fires('HaleHeldInRotation');
    expect(labels).toMatchObject({ job: 'worker', severity: 'critical' });
    worker.setBroken(false);
    await ends('HaleHeldInRotation');
  });

  it('O3: in the end nothing fires, and nothing ever fired that did not happen', async () => {
    await eventually(
      () => (receiver.firing().length === 0 ? true : undefined),
      WITHIN_MS,
      () => `still firing: ${receiver.firing().join(', ')}`,
    );
    const names = new Set(receiver.told.map(({ labels }) => labels['alertname']));
    expect(receiver.begun('HaleRestartUnexplained')).toBe(1);
    expect(receiver.begun('HaleRestartByLiveness')).toBe(1);
    const never = [...names].filter((name) =>
      /Absent|Loop$|Lease|Rollout|Flapping|Startup|Maintenance|Permits/.test(name ?? ''),
    );
    expect(never).toStrictEqual([]);
  });

  it('O3: each query of the dashboard is understood, and gives data unless it is said why not', async () => {
    const queries = dashboardQueries();
    const answers = await Promise.all(
      queries.map(async (each) => [each, await over(each)] as const),
    );
    expect(queries.length).toBeGreaterThan(25);
    expect(answers.filter(([, { status }]) => status !== 'success')).toStrictEqual([]);
    const empty = answers.filter(([, { data }]) => data.result.length === 0);
    expect(empty.map(([{ panel }]) => panel)).toStrictEqual(Object.keys(MAY_BE_EMPTY));
  });
});
