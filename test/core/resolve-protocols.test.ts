import { describe, expect, it } from 'vitest';
import type { HealthOptions } from '../../src/core/health-options.js';
import { resolveProbeOptions } from '../../src/core/resolve-probes.js';

const resolve = (options: HealthOptions = {}, env = {}) => {
  const { tcp, agentCheck, grpc } = resolveProbeOptions(options, env);
  return { tcp, agentCheck, grpc };
};
const NONE = { tcp: undefined, agentCheck: undefined, grpc: undefined };

describe('E6: listeners for other protocols', () => {
  it('are none unless asked for', () => {
    expect(resolve()).toEqual(NONE);
    expect(resolve({}, { HALE_TCP_PORT: '', HALE_PORT: '1' })).toEqual(NONE);
    expect(resolve({ probes: false }, { HALE_TCP_PORT: '7' })).toEqual(NONE);
  });

  it('take the host of the probe port unless they have their own', () => {
    const probes = { host: '::1', tcp: { port: 1 }, grpc: { port: 2, host: '127.0.0.1' } };
    const expected = {
      ...NONE,
      tcp: { host: '::1', port: 1 },
      grpc: { host: '127.0.0.1', port: 2 },
    };
    expect(resolve({ probes })).toEqual(expected);
    expect(resolve({ probes }, { HALE_HOST: 'a' }).tcp).toEqual({ host: 'a', port: 1 });
  });

  it('are asked for and moved by the environment', () => {
    const env = { HALE_TCP_PORT: '7', HALE_AGENT_CHECK_PORT: '8', HALE_GRPC_PORT: '9' };
    expect(resolve({ probes: { tcp: { port: 1 } } }, env)).toEqual({
      tcp: { port: 7 },
      agentCheck: { port: 8 },
      grpc: { port: 9 },
    });
  });

  it('weigh by load where a capacity is set', () => {
    const agentCheck = { port: 8 };
    expect(resolve({ probes: { agentCheck }, capacity: { leaveAt: 40 } }).agentCheck).toEqual({
      port: 8,
      fullAt: 40,
    });
  });

  it('refuse what is no port and no host', () => {
    const bad =
      (probes: object, env = {}) =>
      () =>
        resolve({ probes } as HealthOptions, env);
    expect(bad({ tcp: {} })).toThrow('probes.tcp.port must be a whole number from 0 to 65535');
    expect(bad({ grpc: { port: 70_000 } })).toThrow('probes.grpc.port must be');
    expect(bad({ agentCheck: 8 })).toThrow('probes.agentCheck must be an object, got 8');
    expect(bad({ tcp: { port: 1, host: '' } })).toThrow('probes.tcp.host must be a text');
    expect(bad({}, { HALE_GRPC_PORT: 'x' })).toThrow('HALE_GRPC_PORT (probes.grpc.port)');
  });
});
