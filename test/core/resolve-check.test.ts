import { describe, expect, it } from 'vitest';
import type { Check, CheckRun } from '../../src/core/check.js';
import { DEFAULTS } from '../../src/core/defaults.js';
import {
  type CheckDefaults,
  resolveCheck,
  resolveCheckDefaults,
} from '../../src/core/resolve-check.js';

const run: CheckRun = () => undefined;
const defaults = resolveCheckDefaults({}, {});
const resolve = (check: unknown, name = 'database') => resolveCheck(name, check as Check, defaults);
const signal = new AbortController().signal;

describe('check defaults', () => {
  it('are those of the table, in the background', () => {
    expect(defaults).toEqual({ ...DEFAULTS.check, mode: 'background' });
  });

  it('take the options, and before them the environment', () => {
    const options: CheckDefaults = {
      intervalMs: 100,
      timeoutMs: 50,
      failureThreshold: 4,
      successThreshold: 5,
      mode: 'on-demand',
      ttlMs: 0,
      failureTtlMs: 7,
    };
    expect(resolveCheckDefaults(options, {})).toEqual(options);
    const env = {
      HALE_INTERVAL_MS: '200',
      HALE_TIMEOUT_MS: '60.5',
      HALE_FAILURE_THRESHOLD: '6',
      HALE_SUCCESS_THRESHOLD: '',
    };
    expect(resolveCheckDefaults(options, env)).toEqual({
      ...options,
      intervalMs: 200,
      timeoutMs: 60.5,
      failureThreshold: 6,
    });
    expect(resolveCheckDefaults({}, { HALE_SUCCESS_THRESHOLD: '9' }).successThreshold).toBe(9);
  });

  it('name the option or the variable that is wrong', () => {
    expect(() => resolveCheckDefaults({ intervalMs: 9 }, {})).toThrow(
      'checkDefaults.intervalMs must be a number from 10 to 2147483647, got 9',
    );
    expect(() => resolveCheckDefaults({}, { HALE_INTERVAL_MS: '9' })).toThrow(
      'environment variable HALE_INTERVAL_MS (checkDefaults.intervalMs) must be a number from 10 to',
    );
    expect(() => resolveCheckDefaults({}, { HALE_FAILURE_THRESHOLD: '1.5' })).toThrow(
      'HALE_FAILURE_THRESHOLD (checkDefaults.failureThreshold) must be a whole number from 1 to 100',
    );
    expect(() => resolveCheckDefaults('x' as Partial<CheckDefaults>, {})).toThrow(
      'checkDefaults must be an object, got "x"',
    );
  });
});

describe('resolve check', () => {
  it('C1: a plain function is a critical component with every default', () => {
    const { run: bound, ...rest } = resolve(run);
    expect(rest).toEqual({
      ...defaults,
      name: 'database',
      impact: 'critical',
      component: { componentType: 'component' },
    });
    expect(bound(signal)).toBeUndefined();
  });

  it("a check's own options stand before the defaults, undefined ones do not", () => {
    const check = {
      run,
      intervalMs: 42,
      timeoutMs: undefined,
      mode: 'on-demand',
      impact: 'optional',
    };
    expect(resolve(check)).toMatchObject({
      intervalMs: 42,
      timeoutMs: 1000,
      mode: 'on-demand',
      impact: 'optional',
    });
  });

  it('takes what describes the component, as plain copies', () => {
    const links = { runbook: 'https://example.test/db' };
    const affectedEndpoints = ['/orders'];
    const component = {
      componentType: 'datastore',
      componentId: 'db-1',
      measurement: 'responseTime',
    };
    const resolved = resolve({ run, ...component, affectedEndpoints, links }).component;
    expect(resolved).toEqual({ ...component, affectedEndpoints, links });
    expect(resolved.links).not.toBe(links);
    expect(resolved.affectedEndpoints).not.toBe(affectedEndpoints);
  });

  it('an instance of a class keeps its this, and its getters are read', async () => {
    class Database implements Check {
      readonly #calls: string[] = [];
      get intervalMs() {
        return 77;
      }
      run = async () => ({ output: this.#calls.join() });
      start() {
        this.#calls.push('start');
      }
      dispose() {
        this.#calls.push('dispose');
      }
    }
    const resolved = resolve(new Database());
    expect(resolved.intervalMs).toBe(77);
    resolved.start?.(undefined as never);
    await resolved.dispose?.();
    expect(await resolved.run(signal)).toEqual({ output: 'start,dispose' });
    expect(Object.keys(resolve({ run }))).not.toContain('start');
    expect(Object.keys(resolve({ run }))).not.toContain('dispose');
  });

  it.each([['constructor'], ['toString'], ['hasOwnProperty']])('the name %s is a name', (name) => {
    expect(resolve(run, name).name).toBe(name);
  });

  const TEXT = 'must be a text of 1 to 1024 characters';
  const bad: readonly (readonly [check: unknown, message: string])[] = [
    [null, 'checks.database must be a function or an object with run, got null'],
    ['x', 'checks.database must be a function or an object with run, got "x"'],
    [undefined, 'got undefined'],
    [{}, 'checks.database.run must be a function, got undefined'],
    [{ run, start: 5 }, 'checks.database.start must be a function, got 5'],
    [{ run, dispose: {} }, 'checks.database.dispose must be a function'],
    [
      { run, impact: 'urgent' },
      'checks.database.impact must be one of "critical", "degraded", "opt',
    ],
    [
      { run, intervalMs: 9.99 },
      'checks.database.intervalMs must be a number from 10 to 2147483647',
    ],
    [{ run, intervalMs: NaN }, 'got NaN'],
    [{ run, intervalMs: Infinity }, 'got Infinity'],
    [{ run, intervalMs: '5000' }, 'got "5000"'],
    [{ run, intervalMs: null }, 'got null'],
    [{ run, timeoutMs: 0 }, 'checks.database.timeoutMs must be a number from 1 to'],
    [{ run, timeoutMs: -1 }, 'got -1'],
    [
      { run, failureThreshold: 0 },
      'checks.database.failureThreshold must be a whole number from 1 to',
    ],
    [{ run, failureThreshold: 101 }, 'got 101'],
    [
      { run, successThreshold: 1.5 },
      'checks.database.successThreshold must be a whole number from 1',
    ],
    [
      { run, mode: 'lazy' },
      'checks.database.mode must be one of "background", "on-demand", got "lazy"',
    ],
    [{ run, ttlMs: -1 }, 'checks.database.ttlMs must be a number from 0 to'],
    [{ run, failureTtlMs: -1 }, 'checks.database.failureTtlMs must be a number from 0 to'],
    [{ run, componentType: 5 }, `checks.database.componentType ${TEXT}, got 5`],
    [{ run, componentId: '' }, `checks.database.componentId ${TEXT}`],
    [{ run, measurement: 'a:b' }, 'checks.database.measurement must be a word without a colon'],
    [{ run, measurement: 5 }, `checks.database.measurement ${TEXT}`],
    [{ run, affectedEndpoints: '/x' }, 'checks.database.affectedEndpoints must be a list of texts'],
    [{ run, affectedEndpoints: [5] }, `checks.database.affectedEndpoints[0] ${TEXT}`],
    [{ run, links: ['x'] }, 'checks.database.links must be an object'],
    [{ run, links: { a: () => {} } }, `checks.database.links.a ${TEXT}`],
  ];
  it.each(bad.map(([check, message]) => ({ check, message })))(
    'refuses: $message',
    ({ check, message }) => {
      expect(() => resolve(check)).toThrow(message);
    },
  );

  it('refuses a bad name', () => {
    for (const name of ['', 'a:b', '__proto__', 'a/b']) {
      expect(() => resolve(run, name)).toThrow('checks (a check name) must be a name of 1 to 64');
    }
  });
});
