import { describe, expect, it } from 'vitest';
import { type MemjsClientLike, memcachedPing, memjsPing } from '../../src/checks/memcached.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

type Callback = Parameters<MemjsClientLike['stats']>[0];

/** Answers as told: an error for a server that is away, nothing for one that is `silent`. */
function client(answers: Record<string, Error | string | null>): MemjsClientLike {
  return {
    servers: Object.keys(answers),
    stats: (callback: Callback) => {
      for (const [server, answer] of Object.entries(answers)) {
        if (answer === 'silent') continue;
        callback(answer as Error | null, server, answer === null ? { pid: '1' } : null);
      }
    },
  };
}

const clock = createManualClock();
const run = (of: MemjsClientLike) => harness(memjsPing(of), clock).run();

describe('memjsPing', () => {
  it('passes when every server answers', async () => {
    expect(await run(client({ 'a:1': null, 'b:1': null }))).toMatchObject({
      status: 'pass',
      observedValue: { answered: 2, servers: 2 },
      observedUnit: 'servers',
    });
  });

  it('warns when some answer, and says what is wrong with the others', async () => {
    const away = client({ 'a:1': null, 'b:1': new Error('ECONNREFUSED') });
    expect(await run(away)).toMatchObject({
      status: 'warn',
      code: 'servers_away',
      output: '1 of 2 servers answered, b:1: ECONNREFUSED',
    });
  });

  it('fails when none answers, also with an error that is a text', async () => {
    expect(await run(client({ 'a:1': 'authentication failed!' }))).toMatchObject({
      status: 'fail',
      output: '0 of 1 servers answered, a:1: authentication failed!',
    });
  });

  it('a server that is told of twice counts once', async () => {
    const twice: MemjsClientLike = {
      servers: ['a', 'b'],
      stats: (callback) => {
        callback(null, 'a', {});
        callback(null, 'a', {});
        callback(new Error('reset'), 'b', null);
      },
    };
    expect(await run(twice)).toMatchObject({ status: 'warn', observedValue: { answered: 1 } });
  });

  it('fails without servers', async () => {
    expect(await run(client({}))).toMatchObject({ status: 'fail' });
  });

  it('C2: settles on the signal when a server is silent', async () => {
    const outcome = run(client({ 'a:1': null, 'b:1': 'silent' }));
    await clock.advance(1_000);
    expect(await outcome).toMatchObject({
      status: 'fail',
      output: '1 of 2 servers answered: timed out',
    });
  });

  it('waits for longer than memjs does, if not told otherwise', () => {
    expect(memjsPing(client({})).timeoutMs).toBe(2_000);
    expect(memjsPing(client({}), { timeoutMs: 50, impact: 'critical' })).toMatchObject({
      timeoutMs: 50,
      impact: 'critical',
    });
  });

  it('refuses what is no client', () => {
    const noClient = { stats: () => {} } as unknown as MemjsClientLike;
    expect(() => memjsPing(noClient)).toThrow(/memjsPing.client must be a Client of memjs, got/);
  });
});

describe('memcachedPing', () => {
  it.each([
    [undefined, 'memcachedPing.address must be an object, got undefined'],
    [{ port: 0 }, 'memcachedPing.address.port must be a whole number from 1 to 65535, got 0'],
    [{ path: '' }, 'memcachedPing.address.path must be a text of 1 to 1024 characters, got ""'],
  ])('names the bad address %j', (address, message) => {
    expect(() => memcachedPing(address as never)).toThrow(message);
  });

  it('is a degraded dependency unless told otherwise', () => {
    expect(memcachedPing({ port: 11_211 }).impact).toBe('degraded');
    expect(memcachedPing({ port: 11_211 }, { impact: 'critical' }).impact).toBe('critical');
  });
});
