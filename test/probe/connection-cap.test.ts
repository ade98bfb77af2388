import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { GRACE_MS, createConnectionCap } from '../../src/probe/connection-cap.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

class FakeSocket extends EventEmitter {
  bytesWritten = 0;
  writableLength = 0;
  destroyed = false;

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function createKit(max: number) {
  const clock = createManualClock();
  const cap = createConnectionCap(max, clock);
  /** Lets the time pass that a connection has to send its request. */
  const read = (): Promise<void> => clock.advance(GRACE_MS);
  const open = (change: Partial<FakeSocket> = {}): FakeSocket => {
    const socket = Object.assign(new FakeSocket(), change);
    cap.add(socket as unknown as Socket);
    return socket;
  };
  return { cap, clock, open, read };
}

describe('the connection cap', () => {
  it('E5: closes the oldest connection that was never answered', async () => {
    const { open, read } = createKit(2);
    const answered = open({ bytesWritten: 200 });
    const silent = open();
    const newest = open();
    await read();
    expect([answered, silent, newest].map(({ destroyed }) => destroyed)).toStrictEqual([
      false,
      true,
      false,
    ]);
  });

  it('E5: closes an idle one before one that is being answered', async () => {
    const { cap, open, read } = createKit(2);
    const busy = open();
    cap.setBusy(busy as unknown as Socket, true);
    const idle = open({ bytesWritten: 200 });
    open({ bytesWritten: 200 });
    await read();
    expect([busy.destroyed, idle.destroyed]).toStrictEqual([false, true]);
  });

  it('E5: closes the oldest of all when every one holds back its answer, never the newest', async () => {
    const { open, read } = createKit(2);
    const first = open({ writableLength: 10 });
    const second = open({ writableLength: 10 });
    const newest = open({ writableLength: 10 });
    await read();
    expect([first.destroyed, second.destroyed, newest.destroyed]).toStrictEqual([
      true,
      false,
      false,
    ]);
  });

  it('E5: a closed connection makes room', async () => {
    const { open, read } = createKit(2);
    const first = open();
    open().destroy();
    open();
    await read();
    expect(first.destroyed).toBe(false);
  });

  it('E5: a burst is cut down only after it could be read, so the prober in it gets its answer', async () => {
    const { open, read } = createKit(2);
    const prober = open();
    const burst = Array.from({ length: 10 }, () => open());
    expect([prober, ...burst].filter(({ destroyed }) => destroyed)).toStrictEqual([]);
    prober.bytesWritten = 200;
    await read();
    expect(prober.destroyed).toBe(false);
    expect(burst.filter(({ destroyed }) => !destroyed)).toHaveLength(1);
  });

  it('E5: what arrives while the grace of others runs has its own', async () => {
    const { clock, open, read } = createKit(2);
    const burst = Array.from({ length: 10 }, () => open());
    await clock.advance(GRACE_MS - 1);
    const prober = open();
    await clock.advance(1);
    expect(burst.filter(({ destroyed }) => !destroyed)).toHaveLength(1);
    expect(prober.destroyed).toBe(false);
    prober.bytesWritten = 200;
    open();
    await read();
    expect(prober.destroyed).toBe(false);
  });

  it('E5: eight times the cap is never exceeded, grace or not', async () => {
    const { open } = createKit(2);
    const burst = Array.from({ length: 40 }, () => open());
    expect(burst.filter(({ destroyed }) => !destroyed)).toHaveLength(16);
    expect(burst.at(-1)?.destroyed).toBe(false);
  });
});
