/**
 * How many sockets of this process are connected to one of the ports. A connection that was half closed and never
 * destroyed is gone for the peer while it holds memory here, and the process with it.
 */
export function ownSocketsTo(ports: readonly number[]): number {
  // Not documented, but the only place that tells which sockets there are; where it is missing nothing is counted.
  const source = process as { _getActiveHandles?(): readonly { remotePort?: unknown }[] };
  const handles = source._getActiveHandles?.() ?? [];
  return handles.filter(({ remotePort }) => ports.some((port) => port === remotePort)).length;
}
