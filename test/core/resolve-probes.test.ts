import { describe, expect, it } from 'vitest';
import type { HealthOptions } from '../../src/core/health-options.js';
import { PATH_SETS, type PathSet } from '../../src/core/path-sets.js';
import { resolveProbeOptions } from '../../src/core/resolve-probes.js';

const resolve = (options: object = {}, env = {}) =>
  resolveProbeOptions(options as HealthOptions, env);
const paths = (probes: object) => resolve({ probes }).paths;

describe('resolve probes', () => {
  it('E1, E5: no options listen on the default ports with every default', () => {
    const limits = { maxConnections: 256, headersTimeoutMs: 5000, maxHeaderBytes: 8192 };
    expect(resolve()).toEqual({
      isolation: 'thread',
      listener: { port: 9400, ...limits },
      diagnostic: { host: '127.0.0.1', port: 9401, tokens: [], ...limits },
      paths: { liveness: ['/livez'], readiness: ['/readyz'], startup: ['/startupz'] },
      details: false,
      warnStatus: 200,
      staleAfterMs: 10_000,
      stallAfterMs: 5000,
      beatMs: 500,
      onDemandWaitMs: 1500,
    });
  });

  it('E5: takes the options', () => {
    const resolved = resolve({
      isolation: 'inline',
      liveness: { stallAfterMs: 1000 },
      probes: { port: 0, host: '::1', maxConnections: 8, details: true, warnStatus: 503 },
      diagnostic: { port: 65_535, host: '0.0.0.0', unprotected: true },
    });
    expect(resolved).toMatchObject({
      isolation: 'inline',
      stallAfterMs: 1000,
      beatMs: 100,
      details: true,
      warnStatus: 503,
      listener: { port: 0, host: '::1', maxConnections: 8 },
      diagnostic: { port: 65_535, host: '0.0.0.0', maxConnections: 256 },
    });
    expect(resolve({ probes: { warnStatus: 200 } }).warnStatus).toBe(200);
  });

  it('E5: the environment stands before the options', () => {
    const env = {
      HALE_PORT: '1',
      HALE_HOST: 'a',
      HALE_DIAGNOSTIC_PORT: '2',
      HALE_DIAGNOSTIC_HOST: '::1',
      HALE_ISOLATION: 'inline',
      HALE_STALL_AFTER_MS: '1234',
    };
    const options = {
      isolation: 'thread',
      liveness: { stallAfterMs: 5000 },
      probes: { port: 5, host: 'x' },
      diagnostic: { port: 6, host: 'localhost' },
    };
    expect(resolve(options, env)).toMatchObject({
      isolation: 'inline',
      stallAfterMs: 1234,
      listener: { port: 1, host: 'a' },
      diagnostic: { port: 2, host: '::1' },
    });
    const empty = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
    expect(resolve(options, empty)).toEqual(resolve(options));
  });

  it('E5: false listens on nothing, whatever the environment says', () => {
    const env = { HALE_PORT: '1', HALE_DIAGNOSTIC_PORT: '2' };
    expect(resolve({ probes: false, diagnostic: false }, env)).toMatchObject({
      listener: false,
      diagnostic: false,
      paths: { liveness: ['/livez'] },
      details: false,
      warnStatus: 200,
    });
  });

  it('E1: every path set answers the three questions on paths of their own', () => {
    const names = Object.keys(PATH_SETS) as PathSet[];
    expect(names).toEqual(['kubernetes', 'microprofile', 'spring', 'plain']);
    for (const name of names) expect(paths({ paths: name })).toEqual(PATH_SETS[name]);
  });

  it('E1: own paths replace those of their question, aliases come after', () => {
    expect(
      paths({
        paths: { readiness: ['/r', '/r2'], startup: undefined },
        aliases: { liveness: ['/alive'], readiness: ['/~ok/a.b_c-d'] },
      }),
    ).toEqual({
      liveness: ['/livez', '/alive'],
      readiness: ['/r', '/r2', '/~ok/a.b_c-d'],
      startup: ['/startupz'],
    });
  });

  it('L1: no path answers two questions, nor one twice', () => {
    expect(() => paths({ paths: { readiness: ['/livez'] } })).toThrow(
      'probes.paths.readiness must be paths that nothing else answers (liveness has this one), got "/livez"',
    );
    expect(() => paths({ aliases: { startup: ['/readyz'] } })).toThrow(
      'probes.aliases.startup must be paths that nothing else answers (readiness has this one)',
    );
    expect(() => paths({ aliases: { liveness: ['/a', '/a'] } })).toThrow('(liveness has this one)');
    expect(() => paths({ aliases: { liveness: ['/metrics'] } })).toThrow('(metrics has this one)');
    expect(() => paths({ paths: { readiness: ['/healthz/status'] } })).toThrow(
      '(the report has this one)',
    );
  });

  const bad: readonly (readonly [options: object, message: string])[] = [
    [{ isolation: 'fork' }, 'isolation must be one of "thread", "inline", got "fork"'],
    [{ liveness: 5 }, 'liveness must be an object, got 5'],
    [{ liveness: { stallAfterMs: 999 } }, 'liveness.stallAfterMs must be a number from 1000 to'],
    [{ probes: true }, 'probes must be an object, got true'],
    [{ probes: { port: -1 } }, 'probes.port must be a whole number from 0 to 65535, got -1'],
    [{ probes: { port: 65_536 } }, 'got 65536'],
    [{ probes: { port: 80.5 } }, 'got 80.5'],
    [{ probes: { port: '9400' } }, 'got "9400"'],
    [{ probes: { host: 5 } }, 'probes.host must be a text of 1 to 1024 characters, got 5'],
    [{ probes: { host: '' } }, 'probes.host must be a text'],
    [
      { probes: { maxConnections: 7 } },
      'probes.maxConnections must be a whole number from 8 to 65535',
    ],
    [{ probes: { maxConnections: 65_536 } }, 'got 65536'],
    [{ probes: { details: 1 } }, 'probes.details must be true or false, got 1'],
    [{ probes: { warnStatus: 204 } }, 'probes.warnStatus must be 200 or 503, got 204'],
    [{ probes: { warnStatus: '200' } }, 'got "200"'],
    [{ probes: { paths: 'toString' } }, 'probes.paths must be one of "kubernetes", "microprofile"'],
    [{ probes: { paths: 5 } }, 'probes.paths must be an object, got 5'],
    [{ probes: { paths: { liveness: '/x' } } }, 'probes.paths.liveness must be a list of paths'],
    [{ probes: { paths: { liveness: [] } } }, 'probes.paths.liveness must be a list of paths'],
    [
      { probes: { paths: { liveness: ['x'] } } },
      'probes.paths.liveness must be paths such as "/livez"',
    ],
    [{ probes: { paths: { liveness: ['/x?y'] } } }, 'got "/x?y"'],
    [{ probes: { paths: { liveness: ['/x\n'] } } }, 'probes.paths.liveness must be paths such as'],
    [{ probes: { paths: { liveness: [5] } } }, 'got 5'],
    [{ probes: { aliases: 5 } }, 'probes.aliases must be an object, got 5'],
    [{ probes: { aliases: { startup: ['x'] } } }, 'probes.aliases.startup must be paths such as'],
    [{ diagnostic: 5 }, 'diagnostic must be an object, got 5'],
    [
      { diagnostic: { port: NaN } },
      'diagnostic.port must be a whole number from 0 to 65535, got NaN',
    ],
    [{ diagnostic: { host: '' } }, 'diagnostic.host must be a text'],
  ];
  it.each(bad.map(([options, message]) => ({ options, message })))(
    'refuses: $message',
    ({ options, message }) => {
      expect(() => resolve(options)).toThrow(message);
    },
  );

  const badEnv: readonly (readonly [name: string, value: string, message: string])[] = [
    ['HALE_PORT', '65536', 'HALE_PORT (probes.port) must be a whole number from 0 to 65535'],
    ['HALE_PORT', 'http', 'HALE_PORT (probes.port) must be a decimal number, got "http"'],
    ['HALE_PORT', '9'.repeat(400), 'got Infinity'],
    [
      'HALE_DIAGNOSTIC_PORT',
      '1.5',
      'HALE_DIAGNOSTIC_PORT (diagnostic.port) must be a whole number',
    ],
    [
      'HALE_STALL_AFTER_MS',
      '1',
      'HALE_STALL_AFTER_MS (liveness.stallAfterMs) must be a number from',
    ],
    ['HALE_ISOLATION', 'x', 'HALE_ISOLATION (isolation) must be one of "thread", "inline"'],
  ];
  it.each(badEnv)('refuses the variable %s=%s', (name, value, message) => {
    expect(() => resolve({}, { [name]: value })).toThrow(message);
  });
});
