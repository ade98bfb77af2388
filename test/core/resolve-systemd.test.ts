import { describe, expect, it } from 'vitest';
import type { HealthOptions } from '../../src/core/health-options.js';
import { resolveSystemd } from '../../src/core/resolve-systemd.js';

const resolve = (systemd: unknown, env = {}) =>
  resolveSystemd({ systemd } as HealthOptions, env, 25_000).systemd;
const ENV = { NOTIFY_SOCKET: '/run/systemd/notify', PATH: '/usr/bin' };

describe('E6: what systemd gave the process', () => {
  it('counts only when the option is on and there is a socket', () => {
    expect(resolve(undefined, ENV)).toBeUndefined();
    expect(resolve(false, ENV)).toBeUndefined();
    expect(resolve(true)).toBeUndefined();
    expect(resolve(true, { NOTIFY_SOCKET: '' })).toBeUndefined();
    expect(resolve(true, ENV)).toEqual({
      sender: 'own',
      socket: '/run/systemd/notify',
      searchPath: '/usr/bin',
      stopWithinMs: 25_000,
    });
    expect(resolve({ send() {} }, ENV)).toMatchObject({ sender: 'caller' });
    expect(resolve({}, ENV)).toMatchObject({ sender: 'own' });
  });

  it('Case 46: reads the watchdog as sd_watchdog_enabled does', () => {
    const env = { ...ENV, WATCHDOG_USEC: '30000000', WATCHDOG_PID: '77' };
    expect(resolve(true, env)).toMatchObject({ watchdogMs: 30_000, watchdogPid: 77 });
    for (const WATCHDOG_USEC of ['', '0', 'soon', '-5'])
      expect(resolve(true, { ...ENV, WATCHDOG_USEC })).not.toHaveProperty('watchdogMs');
  });

  it('finds the descriptor by its name', () => {
    const env = { ...ENV, LISTEN_PID: '9', LISTEN_FDS: '2', LISTEN_FDNAMES: 'web:notify' };
    expect(resolve(true, env)).toMatchObject({ inherited: { descriptor: 4, pid: 9 } });
    for (const change of [
      { LISTEN_FDNAMES: 'web' },
      { LISTEN_FDNAMES: undefined },
      { LISTEN_FDS: '1' },
      { LISTEN_FDS: 'x' },
      { LISTEN_PID: '' },
    ])
      expect(resolve(true, { ...env, ...change })).not.toHaveProperty('inherited');
  });

  it('refuses what is no option, whether systemd is there or not', () => {
    expect(() => resolve('yes')).toThrow('systemd must be true, false or an object, got "yes"');
    expect(() => resolve(null)).toThrow('systemd must be an object, got null');
    expect(() => resolve({ send: 1 })).toThrow('systemd.send must be a function, got 1');
  });
});
