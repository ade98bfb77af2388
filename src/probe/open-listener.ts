import type { Server } from 'node:net';
import type { BoundAddress } from '../core/probe-host.js';

/** A listener that is open, whatever it speaks. */
export interface OpenListener {
  readonly address: BoundAddress;
  /** To be called after whatever may have changed an answer. */
  look?(): void;
  /** Stops accepting and closes everything within a moment; never rejects. */
  close(): Promise<void>;
}

/** Where to listen. */
export interface ListenAddress {
  readonly host?: string;
  readonly port: number;
}

/**
 * Binds a server.
 * @throws Error the system's error, with its `code`, when the address cannot be bound.
 */
export function listenOn(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // Without a host Node.js listens on both stacks, or on IPv4 where that is all there is, and asks no resolver.
    // Exclusive: under cluster a shared port would spread one instance's probes over all of them.
    server.listen({ ...(host === undefined ? {} : { host }), port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
