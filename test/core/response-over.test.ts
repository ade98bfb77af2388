import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { onceOver } from '../../src/core/response-over.js';

function exchange(socket: EventEmitter | null, httpVersionMajor = 1) {
  const response = Object.assign(new EventEmitter(), { req: { httpVersionMajor, socket } });
  const seen = { over: 0 };
  onceOver(response, () => (seen.over += 1));
  return { response, seen };
}

describe('the end of a response', () => {
  it('is told once, by the response or by its connection', () => {
    const socket = new EventEmitter();
    const sent = exchange(socket);
    const queued = exchange(socket);
    sent.response.emit('close');
    expect([sent.seen.over, queued.seen.over]).toEqual([1, 0]);
    socket.emit('close');
    queued.response.emit('close');
    expect([sent.seen.over, queued.seen.over]).toEqual([1, 1]);
  });

  it('puts one listener on a connection, however many requests it carries', () => {
    const socket = new EventEmitter();
    for (let count = 0; count < 1000; count += 1) exchange(socket).response.emit('close');
    expect(socket.listenerCount('close')).toBe(1);
  });

  it('leaves the connection alone under HTTP/2, and needs none', () => {
    const socket = new EventEmitter();
    const stream = exchange(socket, 2);
    expect(socket.listenerCount('close')).toBe(0);
    stream.response.emit('close');
    const bare = new EventEmitter();
    let over = 0;
    onceOver(bare, () => (over += 1));
    bare.emit('close');
    const gone = exchange(null);
    gone.response.emit('close');
    expect([stream.seen.over, over, gone.seen.over]).toEqual([1, 1, 1]);
  });
});
