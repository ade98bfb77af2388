/**
 * Ends a driver's connection at once, without a word to a peer that may be dead; does nothing with a connection of a
 * driver that offers no such end. The caller sees to it that somebody listens for the connection's errors.
 */
export function severConnection(raw: unknown): void {
  destroy(raw);
  // destroy() of mysql2 only says goodbye, which a dead peer never answers; mysql keeps its socket elsewhere.
  destroy(member(raw, 'stream') ?? member(raw, '_socket'));
  // pg has a socket to destroy and a polite end; a promise connection of mysql2 wraps the one with the socket.
  destroy(member(member(raw, 'connection'), 'stream'));
}

function destroy(value: unknown): void {
  const method = member(value, 'destroy');
  if (typeof method === 'function') method.call(value);
}

function member(of: unknown, name: string): unknown {
  return (of as Record<string, unknown> | null | undefined)?.[name];
}
