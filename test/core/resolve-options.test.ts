import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/core/defaults.js';
import type { HealthOptions } from '../../src/core/health-options.js';
import { resolveOptions } from '../../src/core/resolve-options.js';

const run = () => undefined;
const resolve = (options: object = {}, env = {}) => resolveOptions(options as HealthOptions, env);

describe('resolve options', () => {
  it('no options give every default', () => {
    const { probes, checkDefaults, ...rest } = resolve();
    expect(rest).toEqual({
      service: {},
      checks: [],
      groups: [],
      concurrency: 8,
      killSwitch: true,
      startup: { budgetMs: 150_000, onTimeout: 'report' },
      shutdown: {
        deadlineMs: 25_000,
        crashDeadlineMs: 5000,
        onUnhandledRejection: 'shutdown',
        onUncaughtException: 'shutdown',
      },
      signals: true,
      background: true,
    });
    expect(checkDefaults.intervalMs).toBe(DEFAULTS.check.intervalMs);
    expect(probes.isolation).toBe('thread');
  });

  it('takes the texts about the service, and an empty one as unset', () => {
    const { service } = resolve({ version: '1.4.2', releaseId: '', serviceId: undefined });
    expect(service).toEqual({ version: '1.4.2' });
    expect(() => resolve({ releaseId: 42 })).toThrow('releaseId must be a text');
  });

  it.each([
    [{ clock: {} }, 'clock.now must be a function, got undefined'],
    [{ clock: { now: () => 0, wallNow: 1 } }, 'clock.wallNow must be a function, got 1'],
    [{ clock: null }, 'clock.now must be a function'],
    [{ random: 0.5 }, 'random must be a function, got 0.5'],
    [{ liveness: { guards: 5 } }, 'liveness.guards must be an object, got 5'],
    [
      { liveness: { guards: [() => true] } },
      'liveness.guards must be an object, got an array of 1',
    ],
  ])('refuses %j', (options, message) => {
    expect(() => resolve(options)).toThrow(message);
  });

  it('E7: refuses what is no logger, whose lines would be lost without a word', () => {
    const logger = { info() {}, warn() {} };
    expect(() => resolve({ logger })).toThrow('logger.error must be a function, got undefined');
    expect(() => resolve({ logger: () => {} })).toThrow('logger.info must be a function');
    expect(() => resolve({ logger: null })).toThrow('logger.info must be a function');
    expect(() => resolve({ logger: console })).not.toThrow();
  });

  it('keeps checks in their order, with the defaults for all', () => {
    const checks = { b: run, a: { run, intervalMs: 20 } };
    const resolved = resolve({ checks, checkDefaults: { intervalMs: 30, timeoutMs: 5 } }).checks;
    expect(
      resolved.map(({ name, intervalMs, timeoutMs }) => [name, intervalMs, timeoutMs]),
    ).toEqual([
      ['b', 30, 5],
      ['a', 20, 5],
    ]);
  });

  it("the environment stands before the options, but not before a check's own", () => {
    const options = {
      checks: { a: { run, intervalMs: 20 }, b: run },
      checkDefaults: { intervalMs: 30 },
      startup: { budgetMs: 40, onTimeout: 'exit' },
      shutdown: { deadlineMs: 50, propagationDelayMs: 10 },
    };
    const env = {
      HALE_INTERVAL_MS: '99',
      HALE_STARTUP_BUDGET_MS: '41',
      HALE_SHUTDOWN_DEADLINE_MS: '51',
      HALE_PROPAGATION_DELAY_MS: '11',
    };
    const resolved = resolve(options, env);
    expect(resolved.checks.map(({ intervalMs }) => intervalMs)).toEqual([20, 99]);
    expect(resolved.startup).toEqual({ budgetMs: 41, onTimeout: 'exit' });
    expect(resolved.shutdown).toMatchObject({ deadlineMs: 51, propagationDelayMs: 11 });
    expect(resolve(options, { HALE_INTERVAL_MS: '' }).checks[1]?.intervalMs).toBe(30);
  });

  it('D2: the deadline after a crash is never above the whole deadline by default', () => {
    const crash = (shutdown: object) => resolve({ shutdown }).shutdown.crashDeadlineMs;
    expect([crash({ deadlineMs: 100 }), crash({ crashDeadlineMs: 7 })]).toEqual([100, 7]);
  });

  it('D1: the propagation delay is below the deadline; zero is a delay', () => {
    const delay = (propagationDelayMs: number) =>
      resolve({ shutdown: { deadlineMs: 100, propagationDelayMs } }).shutdown.propagationDelayMs;
    expect([delay(0), delay(99)]).toEqual([0, 99]);
    expect(() => delay(100)).toThrow(
      'shutdown.propagationDelayMs must be below shutdown.deadlineMs (100), got 100',
    );
    expect(() => resolve({}, { HALE_PROPAGATION_DELAY_MS: '25000' })).toThrow(
      'environment variable HALE_PROPAGATION_DELAY_MS (shutdown.propagationDelayMs) must be below',
    );
  });

  it('D3: optional settings are absent unless given, by option or by variable', () => {
    expect(resolve({ shutdown: { showProgress: false } }).shutdown.showProgress).toBe(false);
    expect(resolve({ loadBalancerIdleTimeoutMs: 0 }).loadBalancerIdleTimeoutMs).toBe(0);
    const env = { HALE_LOAD_BALANCER_IDLE_TIMEOUT_MS: '60000' };
    expect(resolve({}, env).loadBalancerIdleTimeoutMs).toBe(60_000);
    expect(Object.keys(resolve())).not.toContain('loadBalancerIdleTimeoutMs');
  });

  it('R7: groups are of checks that exist, and named unlike them', () => {
    const checks = { r1: run, r2: run };
    const groups = { replicas: { members: ['r1', 'r2'] } };
    expect(resolve({ checks, groups }).groups).toEqual([
      {
        name: 'replicas',
        impact: 'critical',
        quorum: 1,
        members: [
          { check: 'r1', weight: 1 },
          { check: 'r2', weight: 1 },
        ],
      },
    ]);
    expect(() => resolve({ checks, groups: { g: { members: ['r1', 'r3'] } } })).toThrow(
      'groups.g.members must be names from checks (r1, r2), got "r3"',
    );
    expect(() => resolve({ checks, groups: { r1: { members: ['r2'] } } })).toThrow(
      'groups must be named unlike any check, got "r1"',
    );
  });

  it('a name such as __proto__ pollutes nothing', () => {
    const own = JSON.parse('{"__proto__": {"polluted": true}}') as object;
    expect(() => resolve({ checks: own })).toThrow('checks (a check name) must be a name');
    expect(() => resolve({ groups: own })).toThrow('groups (a group name) must be a name');
    const named = resolve({ checks: { constructor: run, valueOf: run } }).checks;
    expect(named.map(({ name }) => name)).toEqual(['constructor', 'valueOf']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  const bad: readonly (readonly [options: object, message: string])[] = [
    [{ checks: 'x' }, 'checks must be an object, got "x"'],
    [{ checks: [run] }, 'checks must be an object, got an array of 1'],
    [{ groups: 5 }, 'groups must be an object, got 5'],
    [{ concurrency: 0 }, 'concurrency must be a whole number from 1 to 1000, got 0'],
    [{ concurrency: 1001 }, 'got 1001'],
    [{ concurrency: 2.5 }, 'got 2.5'],
    [{ concurrency: '8' }, 'got "8"'],
    [{ signals: 'false' }, 'signals must be true or false, got "false"'],
    [{ startup: 5 }, 'startup must be an object, got 5'],
    [{ startup: { budgetMs: 0 } }, 'startup.budgetMs must be a number from 1 to 2147483647, got 0'],
    [{ startup: { budgetMs: Infinity } }, 'got Infinity'],
    [
      { startup: { onTimeout: 'die' } },
      'startup.onTimeout must be one of "report", "exit", got "die"',
    ],
    [{ shutdown: 5 }, 'shutdown must be an object, got 5'],
    [{ shutdown: { deadlineMs: NaN } }, 'shutdown.deadlineMs must be a number from 1 to'],
    [
      { shutdown: { propagationDelayMs: -1 } },
      'shutdown.propagationDelayMs must be a number from 0 to',
    ],
    [{ shutdown: { crashDeadlineMs: 0 } }, 'shutdown.crashDeadlineMs must be a number from 1 to'],
    [
      { shutdown: { onUncaughtException: 'log' } },
      'shutdown.onUncaughtException must be one of "shutdown", "leave"',
    ],
    [
      { shutdown: { showProgress: 'yes' } },
      'shutdown.showProgress must be true or false, got "yes"',
    ],
    [{ loadBalancerIdleTimeoutMs: -1 }, 'loadBalancerIdleTimeoutMs must be a number from 0 to'],
    [
      { shutdown: { onUnhandledRejection: 'x' } },
      'shutdown.onUnhandledRejection must be one of "shutdown", "log", "leave", got "x"',
    ],
    [{ background: false }, 'isolation must be "inline" with background: false'],
    [
      { background: false, isolation: 'inline', liveness: { guards: { memory: () => true } } },
      'liveness.guards must be left out with background: false',
    ],
    [
      { background: false, isolation: 'inline', probes: { files: { readiness: '/run/ready' } } },
      'probes.files must be left out with background: false',
    ],
    [
      { background: false, isolation: 'inline', systemd: true },
      'systemd must be left out with background: false, got true',
    ],
  ];
  it.each(bad.map(([options, message]) => ({ options, message })))(
    'refuses: $message',
    ({ options, message }) => {
      expect(() => resolve(options)).toThrow(message);
    },
  );
});
