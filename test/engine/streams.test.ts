import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type StreamLike, createStreams } from '../../src/engine/streams.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from './support.js';

class FakeResponse extends EventEmitter implements StreamLike {
  ended = false;
  destroyed = false;
  /** Whether `end()` ends it, as it does when the client reads. */
  heeds = true;

  end(): void {
    this.ended = true;
    if (this.heeds) this.emit('close');
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}

function setUp() {
  const clock = createManualClock();
  const log = createLog();
  const streams = createStreams({ clock, random: () => 0.5, logger: log.logger });
  return { clock, log, streams };
}

describe('streams', () => {
  it('D3: are told to end after the delay, spread, and the drain goes on once the last has gone', async () => {
    const { clock, streams } = setUp();
    const responses = Array.from({ length: 10 }, () => new FakeResponse());
    const signals = responses.map((response) => streams.add(response));
    streams.startDraining();
    expect(responses.some(({ ended }) => ended)).toBe(false);
    await streams.stopAccepting(10_000);
    let gone = false;
    const going = streams.gone().then(() => (gone = true));
    await clock.advance(499);
    expect([responses.some(({ ended }) => ended), streams.open()]).toEqual([false, ['10 streams']]);
    await clock.advance(1);
    await going;
    expect(gone).toBe(true);
    expect(responses.every(({ ended }) => ended)).toBe(true);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('D3: one that does not end is cut at its own limit, logged, and the drain is not clean', async () => {
    const { clock, streams, log } = setUp();
    const response = new FakeResponse();
    response.heeds = false;
    let told = 0;
    streams.add(response, { onDrain: () => (told += 1), limitMs: 2000 });
    await streams.stopAccepting(10_000);
    const going = streams.gone();
    await clock.advance(2049);
    expect([told, response.destroyed]).toEqual([1, false]);
    const failed = going.catch(String);
    await clock.advance(1);
    expect(await failed).toContain('1 streams did not end when told to');
    expect(response.destroyed).toBe(true);
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { event: 'stream_cut' } }]);
  });

  it('D3: a client that leaves by itself aborts the signal and frees the place', async () => {
    const { clock, streams } = setUp();
    const response = new FakeResponse();
    const signal = streams.add(response);
    response.emit('close');
    expect([signal.aborted, streams.size, streams.open()]).toEqual([true, 0, []]);
    await streams.stopAccepting(1000);
    await streams.gone();
    expect(clock.pendingTimers).toBe(0);
  });

  it('D3: one that begins after the servers have stopped is told at once; a hook that throws is logged', async () => {
    const { streams, log } = setUp();
    await streams.stopAccepting(1000);
    const response = new FakeResponse();
    const signal = streams.add(response, {
      onDrain() {
        throw new Error('no');
      },
    });
    expect(signal.aborted).toBe(true);
    expect(log.lines).toMatchObject([{ fields: { event: 'stream_hook_failed', output: 'no' } }]);
    await streams.cut();
    expect(response.destroyed).toBe(true);
  });

  it('refuses a limit that is no duration', () => {
    expect(() => setUp().streams.add(new FakeResponse(), { limitMs: -1 })).toThrow(
      'stream.limitMs',
    );
  });

  it('D3: one whose client has left before it is registered is not waited for', async () => {
    const { clock, streams } = setUp();
    for (const left of [{ closed: true }, { destroyed: true }, { stream: { destroyed: true } }]) {
      const response = { end() {}, destroy() {}, once() {}, ...left };
      expect(streams.add(response).aborted).toBe(true);
    }
    expect(streams.size).toBe(0);
    await streams.stopAccepting(10_000);
    await streams.gone();
    expect(clock.pendingTimers).toBe(0);
  });

  it('D3: an asynchronous onDrain that fails is logged, not left unhandled', async () => {
    const { clock, streams, log } = setUp();
    const response = new FakeResponse();
    streams.add(response, { onDrain: () => Promise.reject(new Error('no last event')) });
    await streams.stopAccepting(0);
    await clock.advance(10);
    expect(log.lines[0]?.fields).toMatchObject({
      event: 'stream_hook_failed',
      output: 'no last event',
    });
    response.destroy();
  });
});
