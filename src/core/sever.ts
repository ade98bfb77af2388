interface Severable {
  /** A connection of mysql2, mysql, mariadb. */
  readonly destroy?: unknown;
  /** Where pg keeps its socket. */
  readonly connection?: { readonly stream?: { destroy?(): unknown } };
}

/**
 * Ends a driver's connection at once, without a word to a peer that may be dead; does nothing with a connection of a
 * driver that offers no such end. The caller sees to it that somebody listens for the connection's errors.
 */
export function severConnection(raw: unknown): void {
  if (typeof raw !== 'object' || raw === null) return;
  const connection: Severable = raw;
  if (typeof connection.destroy === 'function') connection.destroy();
  else connection.connection?.stream?.destroy?.();
}
