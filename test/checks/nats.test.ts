import { describe, expect, it } from 'vitest';
import {
  type NatsConnectionLike,
  type NatsJetStreamManagerLike,
  natsConnection,
  natsJetStream,
} from '../../src/checks/nats.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { harness } from '../support/run-check.js';

const clock = createManualClock();
const never = () => new Promise<never>(() => {});
const connection = (rtt: () => Promise<number>, closed = false): NatsConnectionLike => ({
  rtt,
  isClosed: () => closed,
});
const run = (nats: NatsConnectionLike) => harness(natsConnection(nats), clock).run();

describe('natsConnection', () => {
  it('passes on a PONG', async () => {
    expect(await run(connection(async () => 1))).toMatchObject({ status: 'pass' });
  });

  it('C2: fails at its deadline, and sends one PING while none is answered', async () => {
    let pings = 0;
    const check = harness(
      natsConnection(
        connection(() => {
          pings += 1;
          return never();
        }),
      ),
      clock,
    );
    for (let times = 0; times < 3; times += 1) {
      const running = check.run();
      await clock.advance(1_000);
      expect(await running).toMatchObject({
        status: 'fail',
        durationMs: 1_000,
        output: 'no PONG: timed out',
      });
    }
    expect(pings).toBe(1);
  });

  it('fails with the words of the client while it reconnects, without its secrets', async () => {
    const error = new Error('DISCONNECT nats://hale:hunter2@queue:4222');
    const outcome = await run(connection(() => Promise.reject(error)));
    expect(outcome).toMatchObject({ status: 'fail', code: 'error' });
    expect(outcome.output).toMatch(/^no PONG: DISCONNECT/);
    expect(outcome.output).not.toContain('hunter2');
  });

  it('says what will not come back, and what is not there yet', async () => {
    expect(await run(connection(never, true))).toMatchObject({
      status: 'fail',
      code: 'connection_closed',
      durationMs: 0,
    });
    expect(
      await harness(
        natsConnection(() => undefined),
        clock,
      ).run(),
    ).toMatchObject({
      status: 'fail',
      code: 'not_connected',
    });
  });

  it('refuses what is no connection', () => {
    expect(() => natsConnection({} as NatsConnectionLike)).toThrow(
      /natsConnection\.connection must be a NatsConnection, or a function that gives one/,
    );
  });
});

describe('natsJetStream', () => {
  it('passes on an answer and fails on an error or none', async () => {
    const answers = [async () => ({}), () => Promise.reject(new Error('503')), never];
    const outcomes = answers.map(async (getAccountInfo) => {
      const running = harness(natsJetStream({ getAccountInfo }), clock).run();
      await clock.advance(1_000);
      return (await running).output ?? 'pass';
    });
    expect(await Promise.all(outcomes)).toEqual([
      'pass',
      '503',
      'no answer of JetStream: timed out',
    ]);
  });

  it('refuses what is no manager', () => {
    expect(() => natsJetStream({} as NatsJetStreamManagerLike)).toThrow(
      /natsJetStream\.manager must be a JetStreamManager/,
    );
  });
});
