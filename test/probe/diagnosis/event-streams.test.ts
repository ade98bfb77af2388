import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../../src/core/diagnosis.js';
import {
  type EventStreams,
  createEventStreams,
} from '../../../src/probe/diagnosis/event-streams.js';
import { createPace } from '../../../src/probe/pace.js';
import { type ManualClock, createManualClock } from '../../../src/testing/manual-clock.js';

/** A response whose reader keeps up only while it is told to. */
class Reader extends EventEmitter {
  readonly events: string[] = [];
  keepsUp = true;
  status = 0;
  headers: readonly string[] = [];
  headersSent = false;
  ended = false;
  writeHead(status: number, headers: readonly string[]): this {
    this.status = status;
    this.headers = headers;
    this.headersSent = true;
    return this;
  }
  write(event: Uint8Array): boolean {
    if (!this.headersSent) throw new Error('an event before the headers');
    this.events.push(new TextDecoder().decode(event));
    return this.keepsUp;
  }
  end(): void {
    this.ended = true;
    this.emit('close');
  }
  readonly socket = Object.assign(new EventEmitter(), {
    destroy: () => {
      this.ended = true;
      this.socket.emit('close');
    },
  });
  /** Takes what waits. */
  drain(): void {
    this.keepsUp = true;
    this.emit('drain');
  }
}

interface StreamsKit {
  readonly clock: ManualClock;
  readonly streams: EventStreams;
  readonly errors: unknown[];
  looking: number;
  made: number;
  /** Time that making a document takes. */
  costMs: number;
  /** Characters of a document. */
  size: number;
  fails: boolean;
  open(url?: string): Reader;
  /** Asks again on the connection of a reader. */
  askBehind(reader: Reader): ReturnType<EventStreams['take']>;
  ask(method?: string, url?: string): ReturnType<EventStreams['take']>;
}

function createStreamsKit(): StreamsKit {
  const clock = createManualClock();
  const errors: unknown[] = [];
  const ask = (reader: Reader, url: string, method = 'GET', { socket } = reader) =>
    kit.streams.take(
      { url, method, socket } as unknown as IncomingMessage,
      reader as unknown as ServerResponse,
    );
  const kit: StreamsKit = {
    clock,
    errors,
    looking: 0,
    made: 0,
    costMs: 0,
    size: 0,
    fails: false,
    streams: createEventStreams({
      clock,
      pace: createPace(clock),
      maxUnderWay: 32_000,
      onError: (error) => errors.push(error),
      audience: {
        stay() {
          kit.looking += 1;
          return () => void (kit.looking -= 1);
        },
      },
      *document({ history }) {
        if (kit.fails) throw new Error('no document');
        clock.jump(kit.costMs);
        kit.made += 1;
        const findings = [`document ${kit.made}`, 'x'.repeat(kit.size)];
        yield;
        return { history, findings, checks: [] } as unknown as Diagnosis;
      },
    }),
    open(url = '/healthz/status/events') {
      const reader = new Reader();
      const taken = ask(reader, url);
      if (taken !== 'taken') throw new Error(`answered ${taken?.status}`);
      return reader;
    },
    askBehind: (reader) => ask(new Reader(), '/healthz/status/events', 'GET', reader),
    ask: (method, url = '/healthz/status/events') => ask(new Reader(), url, method),
  };
  return kit;
}

const numberOf = (event = ''): number => Number(/document (\d+)/.exec(event)?.[1]);

describe('the events of the diagnosis', () => {
  it('E4: come at once and then every second, one document for all', async () => {
    const kit = createStreamsKit();
    const one = kit.open();
    expect(one.events).toHaveLength(1);
    expect(one.events[0]).toMatch(/^event: diagnosis\ndata: \{.*\}\n\n$/);
    expect(one.headers).toContain('text/event-stream; charset=utf-8');
    expect(one.headers.join(' ')).toContain('no-store');
    const other = kit.open();
    await kit.clock.advance(3000);
    expect(one.events).toHaveLength(4);
    expect(other.events).toHaveLength(4);
    expect(kit.made).toBe(1 + 3);
    expect(one.events.at(-1)).toBe(other.events.at(-1));
  });

  it('E4: are without history for whoever wants none', () => {
    const kit = createStreamsKit();
    expect(kit.open().events[0]).toContain('"history":true');
    expect(kit.open('/healthz/status/events?history=none').events[0]).toContain('"history":false');
  });

  it('E4: leave what is no request for them alone', () => {
    const kit = createStreamsKit();
    expect(kit.ask('GET', '/healthz/status')).toBeUndefined();
    expect(kit.ask('GET', '/healthz/status/events/')).toBeUndefined();
    expect(kit.made).toBe(0);
  });

  it.each(['POST', 'HEAD', 'OPTIONS'])('E4: refuse %s', (method) => {
    const refused = createStreamsKit().ask(method);
    expect(refused).toMatchObject({ status: 405 });
    expect((refused as { headers: readonly string[] }).headers).toContain('GET');
  });

  it('E4: go to sixteen readers, and the next is told when to come again', () => {
    const kit = createStreamsKit();
    const readers = Array.from({ length: 16 }, () => kit.open());
    const refused = kit.ask();
    expect(refused).toMatchObject({ status: 503 });
    expect((refused as { headers: readonly string[] }).headers).toContain('Retry-After');
    readers[3]?.emit('close');
    expect(kit.open().events).toHaveLength(1);
    expect(kit.looking).toBe(16);
  });

  it('E4: a connection has one stream, and none once it has ended, whatever its responses tell', () => {
    const kit = createStreamsKit();
    const reader = kit.open();
    expect(kit.askBehind(reader)).toMatchObject({ status: 503 });
    reader.socket.emit('close');
    expect(kit.looking).toBe(0);
    for (let count = 0; count < 16; count += 1) kit.open();
    expect(kit.looking).toBe(16);
  });

  it('E4: a reader that has gone before its first event is sent nothing', async () => {
    const kit = createStreamsKit();
    kit.costMs = 5;
    const reader = kit.open();
    reader.emit('close');
    await kit.clock.advance(100);
    expect([reader.headersSent, reader.events]).toEqual([false, []]);
    expect(kit.errors).toEqual([]);
  });

  it('E4: a reader that comes while the others are about to be told gets its own beginning first', async () => {
    for (let afterMs = 980; afterMs < 1040; afterMs += 1) {
      const kit = createStreamsKit();
      // More than the thread works in one turn, so that what comes next waits.
      kit.costMs = 5;
      kit.open();
      await kit.clock.advance(afterMs);
      kit.open();
      await kit.clock.advance(1);
      const late = kit.open();
      await kit.clock.advance(100);
      expect(kit.errors).toEqual([]);
      expect(late.status).toBe(200);
      expect(late.events.length).toBeGreaterThan(0);
      kit.streams.close();
    }
  });

  it('E4: readers that come together get one document, and one that comes later the latest', async () => {
    const kit = createStreamsKit();
    for (let count = 0; count < 8; count += 1) kit.open();
    expect(kit.made).toBe(1);
    await kit.clock.advance(250);
    kit.open();
    expect(kit.made).toBe(2);
  });

  it('E4: a reader that is slow gets the latest when it is back, and none in between', async () => {
    const kit = createStreamsKit();
    const slow = kit.open();
    const quick = kit.open();
    slow.keepsUp = false;
    await kit.clock.advance(10_000);
    expect(quick.events).toHaveLength(11);
    expect(slow.events).toHaveLength(2);
    slow.drain();
    await kit.clock.advance(1000);
    expect(slow.events).toHaveLength(3);
    expect(numberOf(slow.events.at(-1))).toBe(kit.made);
  });

  it('E4: a reader that takes nothing for a minute loses its place', async () => {
    const kit = createStreamsKit();
    const gone = kit.open();
    gone.keepsUp = false;
    await kit.clock.advance(60_000);
    expect(gone.ended).toBe(false);
    await kit.clock.advance(2000);
    expect(gone.ended).toBe(true);
    expect(kit.looking).toBe(0);
    expect(kit.clock.pendingTimers).toBe(0);
  });

  it('E4: what waits for slow readers is bounded; the slowest goes first', async () => {
    const kit = createStreamsKit();
    kit.size = 12_000;
    const readers = ['a', 'b', 'c'].map(() => kit.open());
    for (const reader of readers) reader.keepsUp = false;
    readers[1]?.drain();
    await kit.clock.advance(1000);
    readers[1]?.drain();
    await kit.clock.advance(3000);
    const [first, second, third] = readers;
    expect([first?.ended, second?.ended, third?.ended]).toStrictEqual([false, false, false]);
    if (second !== undefined) second.keepsUp = false;
    await kit.clock.advance(2000);
    expect([first?.ended, second?.ended, third?.ended]).toStrictEqual([true, false, false]);
  });

  it('E4: large documents come less often, so that probes have the thread', async () => {
    const kit = createStreamsKit();
    const reader = kit.open();
    kit.costMs = 50;
    await kit.clock.advance(11_000);
    // 50 ms of each 2.5 s.
    expect(reader.events.length).toBeGreaterThanOrEqual(5);
    expect(reader.events.length).toBeLessThanOrEqual(6);
    kit.costMs = 5000;
    await kit.clock.advance(60_000);
    expect(reader.events.length).toBeLessThan(13);
  });

  it('E4: a fault is told and does not end them', async () => {
    const kit = createStreamsKit();
    const reader = kit.open();
    kit.fails = true;
    await kit.clock.advance(2000);
    expect(kit.errors.length).toBeGreaterThan(0);
    const refused = kit.open();
    expect([refused.status, refused.ended]).toStrictEqual([500, true]);
    expect(kit.looking).toBe(1);
    kit.fails = false;
    await kit.clock.advance(1000);
    expect(reader.events.length).toBeGreaterThan(1);
    expect(() => reader.emit('error', new Error('reset'))).not.toThrow();
  });

  it('E4: end with the listener, and none opens after it', async () => {
    const kit = createStreamsKit();
    const readers = [kit.open(), kit.open()];
    kit.streams.close();
    expect(readers.map(({ ended }) => ended)).toStrictEqual([true, true]);
    expect(kit.looking).toBe(0);
    expect(kit.clock.pendingTimers).toBe(0);
    expect(kit.ask()).toMatchObject({ status: 503 });
  });
});
