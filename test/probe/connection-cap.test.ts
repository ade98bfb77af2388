import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createConnectionCap } from '../../src/probe/connection-cap.js';

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
  const reads: (() => void)[] = [];
  const cap = createConnectionCap(max, (callback) => reads.push(callback));
  const read = (): void => {
    for (const callback of reads.splice(0)) callback();
  };
  const open = (change: Partial<FakeSocket> = {}): FakeSocket => {
    const socket = Object.assign(new FakeSocket(), change);
    cap.add(socket as unknown as Socket);
    return socket;
  };
  return { cap, open, read };
}

describe('the connection cap', () => {
  it('E5: closes the oldest connection that was never answered', () => {
    const { open, read } = createKit(2);
    const answered = open({ bytesWritten: 200 });
    const silent = open();
    const newest = open();
    read();
    expect([answered, silent, newest].map(({ destroyed }) => destroyed)).toStrictEqual([
      false,
      true,
      false,
    ]);
  });

  it('E5: closes an idle one before one that is being answered', () => {
    const { cap, open, read } = createKit(2);
    const busy = open();
    cap.setBusy(busy as unknown as Socket, true);
    const idle = open({ bytesWritten: 200 });
    open({ bytesWritten: 200 });
    read();
    expect([busy.destroyed, idle.destroyed]).toStrictEqual([false, true]);
  });

  it('E5: closes the oldest of all when every one holds back its answer, never the newest', () => {
    const { open, read } = createKit(2);
    const first = open({ writableLength: 10 });
    const second = open({ writableLength: 10 });
    const newest = open({ writableLength: 10 });
    read();
    expect([first.destroyed, second.destroyed, newest.destroyed]).toStrictEqual([
      true,
      false,
      false,
    ]);
  });

  it('E5: a closed connection makes room', () => {
    const { open, read } = createKit(2);
    const first = open();
    open().destroy();
    open();
    read();
    expect(first.destroyed).toBe(false);
  });

  it('E5: a burst is cut down only after it could be read, so the prober in it gets its answer', () => {
    const { open, read } = createKit(2);
    const prober = open();
    const burst = Array.from({ length: 500 }, () => open());
    expect([prober, ...burst].filter(({ destroyed }) => destroyed)).toStrictEqual([]);
    prober.bytesWritten = 200;
    read();
    expect(prober.destroyed).toBe(false);
    expect(burst.filter(({ destroyed }) => !destroyed)).toHaveLength(1);
  });
});
