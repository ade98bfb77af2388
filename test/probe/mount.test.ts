import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OptionError } from '../../src/core/errors.js';
import type { Phase } from '../../src/core/phase.js';
import { containHandler } from '../../src/probe/contained-handler.js';
import type { ProbeRequest } from '../../src/probe/handler.js';
import {
  type InterceptableServer,
  interceptProbes,
  type NodeRequest,
  type NodeResponse,
  mountOnHttp,
} from '../../src/probe/mount-http.js';
import { createMount, isLeaving } from '../../src/probe/mount.js';
import { refusal } from '../../src/probe/prepared.js';

const ANSWER = refusal(200, 'an answer');

function setUp() {
  const asked: ProbeRequest[] = [];
  const health = {
    probePaths: { liveness: ['/livez', '/alive'], readiness: ['/readyz'], startup: ['/startupz'] },
    phase: 'running' as Phase,
    handle(request: ProbeRequest) {
      asked.push(request);
      return ANSWER;
    },
  };
  return { health, asked };
}

describe('mounting probes', () => {
  it('E3: hands over the plain path of a probe, and nothing of its query', () => {
    const { health, asked } = setUp();
    const mount = createMount(health, { basePath: '/shop/v1' });
    for (const url of ['/shop/v1/alive', '/shop/v1/readyz?verbose', 'http://h/shop/v1/startupz#x'])
      expect(mount({ method: 'GET', url })).toBe(ANSWER);
    expect(asked).toEqual([
      { method: 'GET', url: '/alive' },
      { method: 'GET', url: '/readyz' },
      { method: 'GET', url: '/startupz' },
    ]);
  });

  it.each([
    '/livez',
    '/shop/v1',
    '/shop/v1livez',
    '/shop/v1/livez/',
    '/shop/v1/metrics',
    '/shop/v1/readyz/db',
    '*',
    '',
  ])('E2: leaves %j to the application', (url) => {
    const { health, asked } = setUp();
    expect(createMount(health, { basePath: '/shop/v1' })({ method: 'GET', url })).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it.each([
    'shop',
    '/shop/',
    '/',
    '/a b',
    '/a?b',
    '/a%20b',
    '//',
    '/..',
    '/a/../b',
    '/./a',
    '/a\n',
    7,
    null,
  ])('refuses the base path %j', (basePath) => {
    const options = { basePath } as { basePath: string };
    expect(() => createMount(setUp().health, options)).toThrow(OptionError);
    expect(() => createMount(setUp().health, options)).toThrow(/^basePath must be .* got /);
  });

  it('takes a base path with dots in its names', () => {
    const { health } = setUp();
    const mount = createMount(health, { basePath: '/v1.2/.well-known/...' });
    expect(mount({ url: '/v1.2/.well-known/.../livez' })).toBe(ANSWER);
  });

  it.each([undefined, {}, 'health'])('refuses %j for a health', (wrong) => {
    const mount = () => createMount(wrong as unknown as Parameters<typeof createMount>[0]);
    expect(mount).toThrow(/^health must be what createHealth\(\) returns, got /);
  });

  it.each([
    ['starting', false],
    ['running', false],
    ['draining', true],
    ['stopped', true],
  ] as const)('D3: a process that is %s is leaving: %s', (phase, leaving) => {
    expect(isLeaving({ phase })).toBe(leaving);
  });
});

describe('mounting probes, whatever is asked', () => {
  it('E2: answers exactly the probe paths below the base path, and never throws', () => {
    const { health } = setUp();
    const basePath = fc.constantFrom('', '/shop', '/shop/v1');
    const part = fc.constantFrom(
      '/',
      '/livez',
      '/readyz',
      '/shop',
      '/v1',
      '%2f',
      '..',
      '?',
      '#',
      'http://h',
      'Z',
    );
    const target = fc.oneof(
      fc.array(part, { maxLength: 5 }).map((parts) => parts.join('')),
      fc.string(),
    );
    fc.assert(
      fc.property(basePath, target, (base, url) => {
        const path = url
          .replace(/#.*$/s, '')
          .replace(/\?.*$/s, '')
          .replace(/^http:\/\/[^/]*/i, '');
        const probes = ['/livez', '/alive', '/readyz', '/startupz'];
        const expected = probes.some((probe) => path === base + probe);
        expect(createMount(health, { basePath: base })({ url }) !== undefined).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
});

const ON_SOCKET = { destroy() {}, cork() {}, uncork() {} };

describe('intercepting probes', () => {
  const request = {} as NodeRequest;
  const response = {} as NodeResponse;

  it('E5: answers before listeners that came earlier or later; other events pass', () => {
    const server = new EventEmitter();
    const heard: string[] = [];
    server.on('request', () => heard.push('earlier'));
    const restore = interceptProbes(server as InterceptableServer, () => true);
    server.on('request', () => heard.push('later'));
    server.on('connection', () => heard.push('connection'));
    expect(server.emit('request', request, response)).toBe(true);
    expect(server.emit('checkContinue', request, response)).toBe(true);
    expect(server.emit('connection', {})).toBe(true);
    expect(heard).toEqual(['connection']);
    restore();
    server.emit('request', request, response);
    expect(heard).toEqual(['connection', 'earlier', 'later']);
    expect(Object.hasOwn(server, 'emit')).toBe(false);
  });

  it('is without effect once taken back, also where somebody has wrapped it meanwhile', () => {
    const server = new EventEmitter();
    let probes = 0;
    const restore = interceptProbes(server as InterceptableServer, () => {
      probes += 1;
      return true;
    });
    const { emit } = server;
    const wrapped: typeof emit = (...args) => Reflect.apply(emit, server, args);
    server.emit = wrapped;
    restore();
    expect(server.emit).toBe(wrapped);
    expect(server.emit('request', request, response)).toBe(false);
    expect(probes).toBe(0);
  });

  it('hears the errors of streams and connections it has taken, while a check is asked, and of no other', () => {
    const taken = ['/livez'];
    const server = new EventEmitter();
    interceptProbes(server as InterceptableServer, ({ url = '' }) => taken.includes(url));
    const arrivals = (url: string) => {
      const stream = Object.assign(new EventEmitter(), { respond() {} });
      const socket = Object.assign(new EventEmitter(), ON_SOCKET);
      server.emit('stream', stream, { ':method': 'GET', ':path': url });
      server.emit('upgrade', { method: 'GET', url, httpVersionMajor: 1 }, socket);
      return [stream, socket];
    };
    for (const source of arrivals('/livez'))
      expect(source.emit('error', new Error('reset'))).toBe(true);
    for (const source of arrivals('/chat')) expect(source.listenerCount('error')).toBe(0);
  });

  it('leaves events alone that only have the name of an arrival', () => {
    const server = new EventEmitter();
    interceptProbes(server as InterceptableServer, () => true);
    const heard: unknown[] = [];
    server.on('stream', (...args) => heard.push(args));
    expect([server.emit('stream'), server.emit('stream', 'a film')]).toEqual([true, true]);
    expect(heard).toEqual([[], ['a film']]);
  });

  it('puts back what was there before', () => {
    const server = new EventEmitter();
    const own: typeof server.emit = () => true;
    server.emit = own;
    interceptProbes(server as InterceptableServer, () => false)();
    expect(server.emit).toBe(own);
  });
});

describe('answering on a response of Node.js', () => {
  it('ends a response that cannot be written, instead of the process', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', note);
    try {
      for (const answer of [ANSWER, Promise.resolve(ANSWER)]) {
        const health = { ...setUp().health, handle: () => answer };
        let destroyed = 0;
        const response = {
          writeHead() {
            throw new Error('a wrapper of somebody else');
          },
          destroy: () => (destroyed += 1),
        };
        const request = { method: 'GET', url: '/livez', httpVersionMajor: 1 };
        const given = [request as NodeRequest, response as unknown as NodeResponse] as const;
        expect(mountOnHttp(health)(...given)).toBe(true);
        await new Promise((resolve) => setImmediate(resolve));
        expect(destroyed).toBe(1);
      }
      expect(rejections).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});

describe('a contained handler', () => {
  it('answers 500 and tells what went wrong, whether it was thrown or rejected', async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const thrown = new Error('thrown');
    const rejected = new Error('rejected');
    const throwing = containHandler(
      {
        handle() {
          throw thrown;
        },
      },
      onError,
    );
    const rejecting = containHandler({ handle: () => Promise.reject(rejected) }, onError);
    expect(throwing.handle({})).toMatchObject({ status: 500, body: '{"error":"internal error"}' });
    expect(await rejecting.handle({})).toMatchObject({ status: 500 });
    expect(errors).toEqual([thrown, rejected]);
  });
});
