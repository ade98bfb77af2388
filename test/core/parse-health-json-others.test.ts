import { describe, expect, it } from 'vitest';
import { parseHealthJson } from '../../src/core/parse-health-json.js';

/** What well-known implementations print, in the shape each one documents and with values of our own. */
const DOCUMENTS: readonly [name: string, document: unknown, expected: object][] = [
  [
    'Go, nelkinda/health-go: the draft, several entries under one key',
    {
      status: 'pass',
      version: '1',
      releaseId: '1.0.0-SNAPSHOT',
      checks: {
        'mongodb:responseTime': [
          {
            componentId: 'mongodb://127.0.0.1:27017',
            observedValue: 147_640,
            observedUnit: 'ns',
            status: 'pass',
            time: '2026-03-08T16:48:01.594380018Z',
          },
        ],
        uptime: [
          { componentType: 'system', observedValue: 15_312, observedUnit: 's', status: 'pass' },
          { componentType: 'process', observedValue: 6.36, observedUnit: 's', status: 'pass' },
        ],
      },
    },
    {
      status: 'pass',
      releaseId: '1.0.0-SNAPSHOT',
      checks: {
        'mongodb:responseTime': [
          { observedValue: 147_640, time: '2026-03-08T16:48:01.594380018Z' },
        ],
        uptime: [{ componentType: 'system' }, { componentType: 'process' }],
      },
    },
  ],
  [
    'Go, alexliesenfeld/health: details by name, the error beside the status',
    {
      status: 'down',
      details: {
        database: { status: 'down', timestamp: '2026-07-01T08:05:14.603364Z', error: 'refused' },
        search: { status: 'up', timestamp: '2026-07-01T08:05:08.522685Z' },
      },
    },
    {
      status: 'fail',
      checks: {
        database: [{ status: 'fail', output: 'refused', time: '2026-07-01T08:05:14.603364Z' }],
        search: [{ status: 'pass' }],
      },
    },
  ],
  [
    'Go, hellofresh/health-go: words of its own, failures as texts',
    {
      status: 'Partially Available',
      timestamp: '2026-07-01T08:05:14Z',
      failures: { rabbitmq: 'failed during health check' },
      system: { version: 'go1.23', goroutines_count: 4 },
      component: { name: 'orders', version: 'v1.0' },
    },
    { status: 'warn', checks: {} },
  ],
  [
    'Java, Spring Boot Actuator: components with details',
    {
      status: 'DOWN',
      components: {
        db: { status: 'DOWN', details: { error: 'could not connect' } },
        diskSpace: { status: 'UP', details: { total: 500, free: 300, threshold: 10 } },
        ping: { status: 'OUT_OF_SERVICE' },
      },
      groups: ['liveness', 'readiness'],
    },
    {
      status: 'fail',
      checks: {
        db: [{ status: 'fail' }],
        diskSpace: [{ status: 'pass' }],
        ping: [{ status: 'fail' }],
      },
    },
  ],
  [
    'Java, MicroProfile Health (Quarkus, Open Liberty): a list of checks with names',
    {
      status: 'UP',
      checks: [
        { name: 'Database connections', status: 'UP', data: { '<default>': 'UP' } },
        { name: 'broker', status: 'DOWN' },
      ],
    },
    {
      status: 'pass',
      checks: { 'Database connections': [{ status: 'pass' }], broker: [{ status: 'fail' }] },
    },
  ],
  [
    '.NET, AspNetCore.HealthChecks.UI.Client: entries with durations',
    {
      status: 'Degraded',
      totalDuration: '00:00:00.0521930',
      entries: {
        sqlserver: { data: {}, duration: '00:00:00.05', status: 'Healthy', tags: ['db'] },
        cache: {
          data: {},
          description: 'slow',
          duration: '00:00:00.9',
          status: 'Degraded',
          tags: [],
        },
      },
    },
    { status: 'warn', checks: { sqlserver: [{ status: 'pass' }], cache: [{ status: 'warn' }] } },
  ],
  [
    '.NET, RockLib.HealthChecks: the draft with notes and links',
    {
      status: 'fail',
      notes: ['one of two disks is full'],
      output: 'disk full',
      serviceId: 'f03e522f',
      description: 'orders',
      checks: {
        'diskDrive:space': [
          {
            componentType: 'system',
            observedValue: 0,
            observedUnit: 'bytes',
            status: 'fail',
            affectedEndpoints: ['/orders/{id}'],
            output: 'full',
          },
        ],
      },
      links: { about: 'https://example.org/orders' },
    },
    {
      status: 'fail',
      notes: ['one of two disks is full'],
      links: { about: 'https://example.org/orders' },
      checks: { 'diskDrive:space': [{ output: 'full', affectedEndpoints: ['/orders/{id}'] }] },
    },
  ],
  [
    'Python, py-healthcheck: results that only say whether they passed',
    {
      hostname: 'orders-1',
      status: 'failure',
      timestamp: 1_751_356_800.1,
      results: [{ checker: 'redis_available', output: 'refused', passed: false }],
    },
    { status: 'fail', checks: {} },
  ],
  [
    'Rust, the draft without checks',
    { status: 'pass', version: '1.0.0', serviceId: 'orders' },
    { status: 'pass', version: '1.0.0', serviceId: 'orders', checks: {} },
  ],
  [
    'Node.js, Nest Terminus: info, error and details',
    {
      status: 'error',
      info: { docs: { status: 'up' } },
      error: { database: { status: 'down', message: 'timeout of 300ms exceeded' } },
      details: {
        docs: { status: 'up' },
        database: { status: 'down', message: 'timeout of 300ms exceeded' },
      },
    },
    {
      status: 'fail',
      checks: {
        docs: [{ status: 'pass' }],
        database: [{ status: 'fail', output: 'timeout of 300ms exceeded' }],
      },
    },
  ],
  [
    'Node.js, Terminus while it shuts down',
    { status: 'shutting_down', info: {}, error: {}, details: {} },
    { status: 'fail' },
  ],
];

describe('E2: reading what other implementations print', () => {
  it.each(DOCUMENTS)('%s', (_, document, expected) => {
    expect(parseHealthJson(JSON.stringify(document))).toMatchObject({
      kind: 'health',
      health: expected,
    });
  });

  it('does not mind a byte order mark', () => {
    expect(parseHealthJson('\uFEFF{"status":"Healthy"}')).toMatchObject({ kind: 'health' });
  });

  it.each([
    ['Spring Boot, nobody knows', { status: 'UNKNOWN' }],
    [
      'a list of checks without a verdict of its own',
      { checkResults: [{ name: 'db', status: 'ok' }] },
    ],
    ['checks without a verdict', { database: 'OK' }],
    ['the plain word of ASP.NET', 'Healthy'],
  ])('never takes for good what does not say so: %s', (_, document) => {
    expect(parseHealthJson(JSON.stringify(document)).kind).toBe('invalid');
  });

  it('leaves out parts that have no name', () => {
    const text = JSON.stringify({ status: 'up', checks: [{ status: 'UP' }, 7, null] });
    expect(parseHealthJson(text)).toMatchObject({ health: { checks: {} } });
  });
});
