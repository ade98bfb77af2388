import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Registry } from 'prom-client';
import { findPrometheus } from '../../tools/ensure-servers.mjs';
import { type Health, createHealth } from '../../src/index.js';
import { addToRegistry } from '../../src/observe/prom-client.js';
import { silentLogger } from '../../src/core/logger.js';
import { probe } from '../support/probing.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { startPrometheus } from '../support/servers/prometheus.js';

/** A name hale lets in is a plain word; these texts are whatever somebody hands over. */
const HOSTILE = '<script>"one"</script>\\\nline \'two\'\r\u0000\u0007\u2028';
const OPEN_METRICS = { accept: 'application/openmetrics-text;version=1.0.0' };

let health: Health;
let port: number;

beforeAll(async () => {
  health = createHealth({
    version: '1.4.2',
    releaseId: HOSTILE,
    probes: { port: 0, host: '127.0.0.1' },
    diagnostic: false,
    signals: false,
    logger: silentLogger,
    env: {},
    checks: {
      good() {},
      bad: {
        impact: 'optional',
        run: () => {
          throw new Error(HOSTILE);
        },
      },
      measured: {
        measurement: HOSTILE,
        run: () => ({ observedValue: 12.5, observedUnit: HOSTILE, output: HOSTILE }),
      },
    },
  });
  const [address] = await health.start();
  port = address?.port ?? 0;
  await vi.waitFor(
    async () => {
      const { text } = await probe(port, '/metrics');
      const ran = ['good', 'bad', 'measured'].every((check) =>
        new RegExp(`hale_check_duration_seconds_count\\{check="${check}"\\} [1-9]`).test(text),
      );
      const { status } = await probe(port, '/readyz');
      if (!ran || status !== 200) throw new Error(`not ready: ${text}`);
    },
    { timeout: 20_000, interval: 50 },
  );
});
afterAll(() => health.dispose());

interface QueryResult {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

/** Tries again until nothing in it fails. */
function eventually(look: () => Promise<void>): Promise<void> {
  return vi.waitFor(look, { timeout: 20_000, interval: 50 });
}

/** Asks from another process while this thread stands still until it has answered. */
function askBlocked(): string {
  const script = `fetch('http://127.0.0.1:${port}/metrics').then((r) => r.text()).then((t) => process.stdout.write(t))`;
  return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 20_000 }).stdout;
}

function valueOf(text: string, series: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length));
}

describe('/metrics of a real service', () => {
  it('O1: promtool finds nothing wrong with it', async () => {
    const { text } = await probe(port, '/metrics');
    const { promtool = '' } = findPrometheus() ?? {};
    const check = spawnSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect({ status: check.status, out: check.stdout + check.stderr }).toStrictEqual({
      status: 0,
      out: '',
    });
    const planted = text.replaceAll('hale_check_runs_total', 'hale_check_runs');
    const found = spawnSync(promtool, ['check', 'metrics'], { input: planted, encoding: 'utf8' });
    expect(found.stderr + found.stdout).toContain('_total');
  });

  it('O1: OpenMetrics is sent to those who ask for it', async () => {
    const open = await probe(port, '/metrics', { headers: OPEN_METRICS });
    expect(open.headers['content-type']).toContain('application/openmetrics-text');
    expect(open.text).toContain('# UNIT hale_check_duration_seconds seconds\n');
    expect(open.text.endsWith('\n# EOF\n')).toBe(true);
  });

  it('O1: answers while the main loop is blocked, and says how old the rest is', async () => {
    const before = valueOf((await probe(port, '/metrics')).text, 'hale_snapshot_age_seconds');
    const blocked = askBlocked();
    expect(valueOf(blocked, 'hale_phase{phase="running"}')).toBe(1);
    expect(valueOf(blocked, 'hale_event_loop_beat_age_seconds')).toBeGreaterThan(0);
    expect(valueOf(blocked, 'hale_check_runs_total{check="good"}')).toBeGreaterThan(0);
    expect(before).toBeGreaterThanOrEqual(0);
    await eventually(async () => {
      const { text } = await probe(port, '/metrics');
      // Starting a process takes longer than the beat: the stall is in the histogram now.
      expect(valueOf(text, 'hale_event_loop_delay_seconds_sum')).toBeGreaterThan(0.02);
    });
  });

  it('O1: what is answered on a port of the application is counted on the probe port', async () => {
    const series = 'hale_probe_answers_total{probe="startup",reason="ok",status="200"}';
    const handled = 'hale_probe_handler_duration_seconds_count{probe="startup"}';
    const before = valueOf((await probe(port, '/metrics')).text, handled);
    for (let index = 0; index < 5; index += 1) await health.handle({ url: '/startupz' });
    await eventually(async () => {
      const { text } = await probe(port, '/metrics');
      expect([valueOf(text, series), valueOf(text, handled)]).toStrictEqual([5, before + 5]);
    });
  });

  it('O1: health.metrics() has what the thread counted, and a registry tells it', async () => {
    await probe(port, '/livez');
    const registry = new Registry();
    addToRegistry(registry, health);
    const text = await registry.metrics();
    const answered = 'hale_probe_answers_total{probe="liveness",reason="ok",status="200"}';
    expect(valueOf(text, answered)).toBeGreaterThan(0);
    expect(valueOf(text, 'hale_probe_handler_duration_seconds_count{probe="liveness"}')).toBe(
      valueOf(text, answered),
    );
  });
});

describe('a real Prometheus', () => {
  let prometheus: ManagedServer;
  beforeAll(async () => {
    prometheus = await startPrometheus({ jobs: { hale: [`127.0.0.1:${port}`] } });
  });
  afterAll(() => prometheus.dispose());

  async function query(expression: string): Promise<readonly QueryResult[]> {
    const url = `${prometheus.url}/api/v1/query?query=${encodeURIComponent(expression)}`;
    const body = (await (await fetch(url)).json()) as {
      data: { result: QueryResult[] };
    };
    return body.data.result;
  }

  it('O1: scrapes it as OpenMetrics, with every family and its unit', async () => {
    await eventually(async () => expect((await query('up == 1')).length).toBe(1));
    await eventually(async () => {
      const good = await query('hale_check_duration_seconds_bucket{check="good",le="1.0"}');
      expect(Number(good[0]?.value[1])).toBeGreaterThan(0);
    });
    const [build] = await query('hale_build_info{version="1.4.2"} == 1');
    expect(build?.metric['release']).toBe(HOSTILE);
    const [value] = await query('hale_check_value{check="measured"}');
    expect(value).toMatchObject({
      metric: { measurement: HOSTILE },
      value: [expect.anything(), '12.5'],
    });
    const metadata = (await (await fetch(`${prometheus.url}/api/v1/metadata`)).json()) as {
      data: Record<string, { type: string; unit: string }[]>;
    };
    expect(metadata.data['hale_check_duration_seconds']?.[0]).toMatchObject({
      type: 'histogram',
      unit: 'seconds',
    });
  });
});

describe('a service that ends', () => {
  it('O1: what the thread alone knows is left out once it is gone', async () => {
    const short = createHealth({
      probes: { port: 0, host: '127.0.0.1' },
      diagnostic: false,
      logger: silentLogger,
      env: {},
    });
    await short.start();
    await short.dispose();
    const readings = await short.metrics();
    const samples = new Map(readings.map(({ metric, samples: all }) => [metric.name, all.length]));
    expect(samples.get('hale_probe_answers_total')).toBe(0);
    expect(samples.get('hale_phase')).toBe(4);
  });
});
