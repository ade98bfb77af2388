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
  const cap = createConnectionCap(max);
  const open = (change: Partial<FakeSocket> = {}): FakeSocket => {
    const socket = Object.assign(new FakeSocket(), change);
    cap.add(socket as unknown as Socket);
    return socket;
  };
  return { cap, open };
}

describe('the connection cap', () => {
  it('E5: closes the oldest connection that was never answered', () => {
    const { open } = createKit(2);
    const answered = open({ bytesWritten: 200 });
    const silent = open();
    const newest = open();
    expect([answered, silent, newest].map(({ destroyed }) => destroyed)).toStrictEqual([
      false,
      true,
      false,
    ]);
  });

  it('E5: closes an idle one before one that is being answered', () => {
    const { cap, open } = createKit(2);
    const busy = open();
    cap.setBusy(busy as unknown as Socket, true);
    const idle = open({ bytesWritten: 200 });
    open();
    expect([busy.destroyed, idle.destroyed]).toStrictEqual([false, true]);
  });

  it('E5: closes the oldest of all when every one holds back its answer, never the newest', () => {
    const { open } = createKit(2);
    const first = open({ writableLength: 10 });
    const second = open({ writableLength: 10 });
    const newest = open();
    expect([first.destroyed, second.destroyed, newest.destroyed]).toStrictEqual([
      true,
      false,
      false,
    ]);
  });

  it('E5: a closed connection makes room', () => {
    const { open } = createKit(2);
    const first = open();
    open().destroy();
    open();
    expect(first.destroyed).toBe(false);
  });
});
