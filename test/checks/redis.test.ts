import { describe, expect, it } from 'vitest';
import { type RedisLike, redisPing } from '../../src/checks/redis.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

const clock = createManualClock();
const run = (client: RedisLike) => harness(redisPing(client), clock).run();
const never = () => new Promise<never>(() => {});

describe('redisPing', () => {
  it.each(['PONG', new TextEncoder().encode('PONG')])('passes on PONG as %o', async (answer) => {
    expect((await run({ ping: async () => answer, status: 'ready' })).status).toBe('pass');
  });

  it.each([
    ['pong', '"pong"'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{ ok: true }, 'an object of Object'],
    [new Uint8Array(10), 'an object of Uint8Array'],
  ])('fails on %o, naming it', async (answer, name) => {
    expect(await run({ ping: async () => answer })).toMatchObject({
      status: 'fail',
      output: `PING was answered with ${name} instead of PONG`,
    });
  });

  it('case 34: the deadline holds while the client only queues, and the text says its state', async () => {
    const running = run({ ping: never, status: 'connecting' });
    await clock.advance(1_000);
    expect(await running).toMatchObject({
      status: 'fail',
      durationMs: 1_000,
      output: 'no answer to PING (client is connecting): timed out',
    });
  });

  it.each([
    [{ status: 'reconnecting' }, 'no connection to Redis (client is reconnecting)'],
    [{ status: 'end' }, 'no connection to Redis (client is end)'],
    [{ isReady: false }, 'no connection to Redis (client is not ready)'],
  ])('fails at once without adding to the offline queue when %j', async (state, output) => {
    let pings = 0;
    const ping = () => {
      pings += 1;
      return never();
    };
    expect(await run({ ping, ...state })).toMatchObject({ status: 'fail', durationMs: 0, output });
    expect(pings).toBe(0);
  });

  it('C2: keeps one PING at most under way however long nothing comes back', async () => {
    const questions: (() => void)[] = [];
    const ping = () => new Promise<unknown>((resolve) => questions.push(() => resolve('PONG')));
    const check = harness(redisPing({ ping }), clock);
    for (let runs = 0; runs < 5; runs += 1) {
      const running = check.run();
      await clock.advance(1_000);
      expect((await running).output).toBe('no answer to PING: timed out');
    }
    expect(questions).toHaveLength(1);
    const running = check.run();
    questions[0]?.();
    await clock.settle();
    // A late answer to an old question says nothing about now.
    expect(questions).toHaveLength(2);
    questions[1]?.();
    expect((await running).status).toBe('pass');
  });

  it('asks a cluster without ping() through one of its nodes', async () => {
    const sent: unknown[] = [];
    const sendCommand = async (...args: unknown[]) => {
      sent.push(args);
      return 'PONG';
    };
    const cluster = { sendCommand, masters: [{}] };
    expect((await harness(redisPing(cluster), clock).run()).status).toBe('pass');
    expect(sent).toEqual([[undefined, true, ['PING']]]);
  });

  it('asks nothing of a cluster that knows no node: node-redis 4 and 5 would loop for ever', async () => {
    const neverAsked = () => {
      throw new Error('asked');
    };
    const cluster = { ping: neverAsked, sendCommand: neverAsked, masters: [] };
    expect(await run(cluster)).toMatchObject({ output: 'no connection to Redis' });
  });

  it('asks in the state of a lazy client that has not connected yet', async () => {
    expect((await run({ ping: async () => 'PONG', status: 'wait' })).status).toBe('pass');
  });

  it('fails with the text of the client, without its secrets', async () => {
    const error = new Error('WRONGPASS for redis://:hunter2@cache:6379');
    const outcome = await run({ ping: () => Promise.reject(error) });
    expect(outcome.status).toBe('fail');
    expect(outcome.output).toContain('WRONGPASS');
    expect(outcome.output).not.toContain('hunter2');
  });

  it('fails when ping throws instead of rejecting', async () => {
    const ping = () => {
      throw new Error('closed');
    };
    expect(await run({ ping })).toMatchObject({ status: 'fail', output: 'closed' });
  });

  it('refuses what is no client', () => {
    expect(() => redisPing({} as RedisLike)).toThrow(/redisPing.client must be a Redis client/);
  });
});
