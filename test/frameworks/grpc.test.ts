import { describe, expect, it } from 'vitest';
import {
  type GrpcHealthSource,
  type GrpcServerLike,
  addHealthService,
} from '../../src/frameworks/grpc.js';

type Handler = (
  call: { request: { service: string } },
  reply: (...args: unknown[]) => void,
) => void;

function createServer() {
  const handlers: Record<string, Handler> = {};
  const server: GrpcServerLike = {
    addService: (_, implementation) => void Object.assign(handlers, implementation),
  };
  const call = (method: string, service = ''): Promise<unknown[]> =>
    new Promise((resolve) =>
      handlers[method]?.({ request: { service } }, (...args) => resolve(args)),
    );
  return { server, call };
}

const source = (checks: readonly string[] = [], status = 200): GrpcHealthSource => ({
  probePaths: { liveness: ['/livez'], readiness: ['/ready now'], startup: ['/startupz'] },
  handle: ({ url }) => ({ status: url?.endsWith('gone') ? 404 : status, headers: [], body: '' }),
  report: () => ({ checks: checks.map((name) => ({ name })) }),
  onChange: () => () => {},
});

describe('E6: addHealthService', () => {
  it('answers Check by the status of the probe', async () => {
    const { server, call } = createServer();
    addHealthService(server, source([], 503), { services: { 'a.B': 'startup' } });
    expect(await call('Check', 'a.B')).toEqual([null, 2]);
    expect(await call('Check', 'gone')).toEqual([{ code: 5, details: 'unknown service "gone"' }]);
  });

  it('lists at most a hundred services, after the protocol', async () => {
    const names = Array.from({ length: 97 }, (_, index) => `check ${index}`);
    const few = createServer();
    addHealthService(few.server, source(names.slice(1)));
    const [, statuses] = await few.call('List');
    expect(statuses).toHaveLength(100);
    const many = createServer();
    addHealthService(many.server, source(names));
    expect(await many.call('List')).toEqual([{ code: 8, details: 'more than 100 services' }]);
  });

  it('leaves out what there is no service for', async () => {
    const { server, call } = createServer();
    addHealthService(server, source(['gone']));
    const [, statuses] = await call('List');
    expect(statuses).toEqual([
      ['readiness', 1],
      ['liveness', 1],
      ['startup', 1],
      ['', 1],
    ]);
  });

  it('refuses what is no server, no health, and no service', () => {
    const { server } = createServer();
    const add = (...args: unknown[]) =>
      (addHealthService as (...given: unknown[]) => void)(...args);
    expect(() => add(undefined, source())).toThrow(
      'addHealthService (a server): addService must be',
    );
    expect(() => add(server, {})).toThrow('addHealthService (a health): handle must be a function');
    expect(() => add(server, source(), { services: { a: 'ready' } })).toThrow(
      'services.a must be one of "readiness", "liveness", "startup", got "ready"',
    );
    expect(() => add(server, source(), { services: { liveness: 'liveness' } })).toThrow(
      'services must be names that hale does not use, got "liveness"',
    );
  });
});
