import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderHealthJson } from '../../src/protocol/health-json.js';
import { parseHealthJson, parseHealthStatus } from '../../src/core/parse-health-json.js';

describe('reading health+json', () => {
  it.each([
    ['pass', 'pass'],
    ['OK', 'pass'],
    ['Up', 'pass'],
    ['warn', 'warn'],
    ['FAIL', 'fail'],
    ['error', 'fail'],
    ['Down', 'fail'],
  ])('E2: understands %s', (word, status) => {
    expect(parseHealthStatus(word)).toBe(status);
    const parsed = parseHealthJson(JSON.stringify({ status: word }));
    expect(parsed).toMatchObject({ kind: 'health', health: { status } });
  });

  it.each([
    '',
    'null',
    '[]',
    '"pass"',
    '{}',
    '{"status":"fine"}',
    '{"status":1}',
    '{"status":"constructor"}',
  ])('E2: takes %j for invalid, not for good', (text) =>
    expect(parseHealthJson(text).kind).toBe('invalid'),
  );

  it('E2: keeps what it knows and leaves out what has a wrong type', () => {
    const parsed = parseHealthJson(
      JSON.stringify({
        status: 'warn',
        version: '1',
        releaseId: 7,
        notes: ['a', 1],
        links: { about: 'https://example.org', bad: 1 },
        extra: {},
        checks: {
          'database:responseTime': [
            { status: 'up', observedValue: 12, observedUnit: 'ms', componentType: 'datastore' },
            'nonsense',
            { observedValue: { deep: true }, affectedEndpoints: ['/orders/{id}', 3] },
          ],
          single: { status: 'down', output: 'refused' },
        },
      }),
    );
    expect(parsed).toStrictEqual({
      kind: 'health',
      health: {
        status: 'warn',
        version: '1',
        notes: ['a'],
        links: { about: 'https://example.org' },
        checks: {
          'database:responseTime': [
            { status: 'pass', observedValue: 12, observedUnit: 'ms', componentType: 'datastore' },
            { observedValue: { deep: true }, affectedEndpoints: ['/orders/{id}'] },
          ],
          single: [{ status: 'fail', output: 'refused' }],
        },
      },
    });
  });

  it('E2: never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(['health', 'invalid']).toContain(parseHealthJson(text).kind);
      }),
    );
  });

  it('E2: reads back what the writer wrote', () => {
    const entry = { status: 'fail', componentType: 'datastore', output: 'refused' } as const;
    const text = renderHealthJson({
      status: 'fail',
      reason: 'check_failed:database',
      phase: 'running',
      version: '1',
      output: 'database: refused',
      checks: { database: [entry] },
    });
    expect(parseHealthJson(text)).toMatchObject({
      health: {
        status: 'fail',
        version: '1',
        output: 'database: refused',
        checks: { database: [entry] },
      },
    });
  });
});
