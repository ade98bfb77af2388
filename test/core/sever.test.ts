import { describe, expect, it } from 'vitest';
import { severConnection } from '../../src/core/sever.js';

/** A socket that counts how often it was destroyed. */
const socket = () => {
  const self = { destroyed: 0, destroy: () => void (self.destroyed += 1) };
  return self;
};

describe('severConnection', () => {
  it('destroys the socket of pg', () => {
    const stream = socket();
    severConnection({ connection: { stream }, end: () => new Promise(() => {}) });
    expect(stream.destroyed).toBe(1);
  });

  it.each(['stream', '_socket'])(
    'tells the connection and destroys its %s: destroy() of mysql2 only says goodbye',
    (name) => {
      const [connection, inner] = [socket(), socket()];
      severConnection(Object.assign(connection, { [name]: inner }));
      expect([connection.destroyed, inner.destroyed]).toEqual([1, 1]);
    },
  );

  it.each([undefined, null, 'connection', {}, { stream: {} }, { connection: { stream: null } }])(
    'does nothing with %j',
    (raw) => {
      expect(() => severConnection(raw)).not.toThrow();
    },
  );
});
