import type { BoundAddress } from '../core/probe-host.js';
import type { ProbeOptions } from '../core/probe-options.js';

/** A thread that is started again answers on the ports it had, also where a free one was picked. */
export function pinPorts(options: ProbeOptions, addresses: readonly BoundAddress[]): ProbeOptions {
  const portOf = (kind: BoundAddress['kind'], port: number): number =>
    addresses.find((address) => address.kind === kind)?.port ?? port;
  const { listener, diagnostic, tcp, agentCheck, grpc } = options;
  return {
    ...options,
    ...(tcp && { tcp: { ...tcp, port: portOf('tcp', tcp.port) } }),
    ...(agentCheck && {
      agentCheck: { ...agentCheck, port: portOf('agentCheck', agentCheck.port) },
    }),
    ...(grpc && { grpc: { ...grpc, port: portOf('grpc', grpc.port) } }),
    listener: listener && { ...listener, port: portOf('probes', listener.port) },
    diagnostic: diagnostic && { ...diagnostic, port: portOf('diagnostic', diagnostic.port) },
  };
}
