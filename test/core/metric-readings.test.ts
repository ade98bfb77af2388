import { describe, expect, it } from 'vitest';
import { createBoard } from '../../src/core/board.js';
import { LEASE_OUTCOMES, type LeaseView } from '../../src/core/lease-host.js';
import { METRICS, type MetricDefinition } from '../../src/core/metric-definitions.js';
import { type MetricReading, readMetrics } from '../../src/core/metric-readings.js';
import { checkView, startedState } from './probe-state-builders.js';

const definitions: readonly MetricDefinition[] = Object.values(METRICS);

function read(...[state, now = 1000]: [Parameters<typeof startedState>, number?]): Read {
  const board = createBoard();
  board.recordLoopDelay(30);
  board.setPhase('draining');
  const readings = readMetrics({
    state: startedState(...state),
    board,
    now,
    nodeVersion: 'v20.20.0',
  });
  return {
    readings,
    samplesOf: ({ name }) => readings.find(({ metric }) => metric.name === name)?.samples ?? [],
  };
}

interface Read {
  readonly readings: readonly MetricReading[];
  samplesOf(metric: MetricDefinition): MetricReading['samples'];
}

describe('the list of metrics', () => {
  it.each(definitions)('O1: $name follows the conventions of Prometheus', (metric) => {
    const { name, type, unit, buckets = [], help } = metric;
    expect(name).toMatch(/^hale_[a-z]+(?:_[a-z]+)*$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(name.endsWith('_info')).toBe(type === 'info');
    expect(/_seconds(?:_total)?$/.test(name)).toBe(unit === 'seconds');
    expect(buckets.length > 0).toBe(type === 'histogram');
    expect([...buckets].toSorted((a, b) => a - b)).toStrictEqual([...buckets]);
    expect(help).toMatch(/^[A-Z0-9].+\.$/);
  });

  it('O1: every metric is read, once', () => {
    const names = read([]).readings.map(({ metric }) => metric.name);
    expect(names.toSorted()).toStrictEqual(definitions.map(({ name }) => name).toSorted());
  });
});

describe('readings', () => {
  it('O1: have exactly the labels of the list', () => {
    const outcomes = Object.fromEntries(
      LEASE_OUTCOMES.map((each) => [each, 1]),
    ) as LeaseView['outcomes'];
    const durations = { counts: [1], sum: 1 };
    const lease = { name: 'leader', backend: 'memory', holder: 'a', impact: 'critical' } as const;
    const { readings } = read([
      [checkView('database', { durations, ranAt: 400, measured: { unit: 'ms', value: 4 } })],
      {
        startedAt: 1_000,
        drainSteps: [{ step: 'in_flight', durations }],
        leases: [{ ...lease, state: 'held', outcomes }],
      },
    ]);
    const samples = readings.flatMap(({ metric, samples: all }) =>
      all.map(({ labels }) => [metric.name, Object.keys(labels), metric.labels] as const),
    );
    expect(samples.length).toBeGreaterThan(25);
    for (const [, got, listed] of samples) expect(got).toStrictEqual([...listed]);
  });

  it('O1: tell the phase, the build, and what a lease and a step of the drain came to', () => {
    const durations = { counts: [0, 1], sum: 0.1 };
    const outcomes = { renewed: 3 } as LeaseView['outcomes'];
    const lease = { name: 'leader', backend: 'memory', holder: 'a', impact: 'critical' } as const;
    const { samplesOf } = read([
      [],
      {
        service: { version: '1.4.2', releaseId: 'abc' },
        drainSteps: [{ step: 'in_flight', durations }],
        leases: [{ ...lease, state: 'held', outcomes }],
      },
    ]);
    expect(samplesOf(METRICS.buildInfo)).toStrictEqual([
      { labels: { version: '1.4.2', release: 'abc', node: 'v20.20.0' }, value: 1 },
    ]);
    expect(samplesOf(METRICS.phase)).toContainEqual({ labels: { phase: 'draining' }, value: 1 });
    expect(samplesOf(METRICS.phase)).toContainEqual({ labels: { phase: 'running' }, value: 0 });
    expect(samplesOf(METRICS.drainStepDuration)).toStrictEqual([
      { labels: { step: 'in_flight' }, histogram: durations },
    ]);
    expect(samplesOf(METRICS.leaseState)).toContainEqual({
      labels: { lease: 'leader', state: 'held' },
      value: 1,
    });
    expect(samplesOf(METRICS.leaseAttempts)).toStrictEqual([
      { labels: { lease: 'leader', outcome: 'renewed' }, value: 3 },
    ]);
  });

  it('O1: tell the age of a check from the end of its last run, and nothing before the first', () => {
    const { samplesOf } = read([[checkView('database', { ranAt: 400 }), checkView('new')]], 900);
    expect(samplesOf(METRICS.checkAge)).toStrictEqual([
      { labels: { check: 'database' }, value: 0.5 },
    ]);
  });

  it('O1: tell the number a check saw, what it measures and its unit, and nothing where it saw none', () => {
    const component = { componentType: 'component', measurement: 'certificate' };
    const { samplesOf } = read([
      [
        checkView('tls', { component, measured: { unit: 'days', value: 12.5 } }),
        checkView('blind', { measured: { unit: 'ms' } }),
        checkView('never'),
      ],
    ]);
    expect(samplesOf(METRICS.checkValue)).toStrictEqual([
      { labels: { check: 'tls', measurement: 'certificate', unit: 'days' }, value: 12.5 },
    ]);
  });

  it('O1: tell nothing of probes where none can be answered', () => {
    const { samplesOf } = read([[]]);
    expect(samplesOf(METRICS.probeAnswers)).toStrictEqual([]);
    expect(samplesOf(METRICS.livenessFailures)).toStrictEqual([]);
    expect(samplesOf(METRICS.probeReason)).toStrictEqual([]);
  });
});
