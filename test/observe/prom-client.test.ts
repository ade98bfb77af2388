import * as prom15 from 'prom-client';
import * as prom14 from 'prom-client14';
import { describe, expect, it } from 'vitest';
import { addToRegistry } from '../../src/observe/prom-client.js';
import { encodePrometheus } from '../../src/protocol/prometheus.js';
import { createMetricsKit } from './metrics-kit.js';

/** What tells something: neither comments nor empty lines, in any order. */
function series(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .toSorted();
}

describe.each([
  ['14', prom14.Registry],
  ['15', prom15.Registry],
])('a registry of prom-client %s', (_, Registry) => {
  it('O1: tells exactly what /metrics tells, read once for each scrape', async () => {
    const created = createMetricsKit();
    const registry = new Registry();
    addToRegistry(registry, created.health);
    const text = await registry.metrics();
    expect(created.reads).toBe(1);
    const own = series(encodePrometheus(await created.health.metrics()));
    expect(own.length).toBeGreaterThan(50);
    expect(series(text)).toStrictEqual(own);
    expect(text).toContain('# TYPE hale_check_duration_seconds histogram\n');
    created.kit.board.setInFlight(7);
    expect(await registry.metrics()).toContain('\nhale_requests_in_flight 7\n');
  });

  it('O1: stands beside metrics of the application, survives resets, and is taken out again', async () => {
    const { health } = createMetricsKit();
    const registry = new Registry();
    new prom15.Counter({
      name: 'orders_total',
      help: 'Orders.',
      registers: [registry as prom15.Registry],
    }).inc();
    const remove = addToRegistry(registry, health);
    registry.resetMetrics();
    expect(await registry.metrics()).toContain(
      '\nhale_check_runs_total{check="a \\"database\\""} 1\n',
    );
    expect(() => addToRegistry(registry, health)).toThrow('already been registered');
    remove();
    expect(series(await registry.metrics())).toStrictEqual(['orders_total 0']);
  });
});

describe('addToRegistry', () => {
  it('O1: in OpenMetrics counters keep their name, and the text has its end', async () => {
    const { health } = createMetricsKit();
    const registry = new prom15.Registry<prom15.OpenMetricsContentType>();
    registry.setContentType(prom15.Registry.OPENMETRICS_CONTENT_TYPE);
    addToRegistry(registry, health);
    await registry.metrics();
    const text = await registry.metrics();
    expect(text).toContain('# TYPE hale_check_runs counter\n');
    expect(text).toContain('\nhale_check_runs_total{check="a \\"database\\""} 1\n');
    expect(text.endsWith('# EOF\n')).toBe(true);
  });

  it('O1: a cluster adds its processes up', async () => {
    const { health } = createMetricsKit();
    const registry = new prom15.Registry();
    addToRegistry(registry, health);
    const json = await registry.getMetricsAsJSON();
    const text = await prom15.AggregatorRegistry.aggregate([json, structuredClone(json)]).metrics();
    expect(text).toContain('\nhale_check_runs_total{check="a \\"database\\""} 2\n');
    expect(text).toMatch(/\nhale_build_info\{version="1\.4\.2",.*\} 1\n/);
  });

  it('O1: a wrong argument is named', () => {
    const { health } = createMetricsKit();
    expect(() => addToRegistry({} as never, health)).toThrow(/registry.*Registry of prom-client/s);
    expect(() => addToRegistry(new prom15.Registry(), {} as never)).toThrow(
      /health.*what createHealth\(\) returns/s,
    );
  });
});
