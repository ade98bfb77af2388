import type { ConformanceAddress, ConformanceServer } from '../../../src/testing/index.js';
import type { ManagedServer } from './managed-server.js';

/** Several servers that a client sees as one, such as a cluster: what happens to one happens to all. */
export interface ServerGroup extends ConformanceServer {
  readonly members: readonly ManagedServer[];
  /** Where clients connect to first. */
  readonly address: ConformanceAddress;
  readonly pids: readonly number[];
  dispose(): Promise<void>;
}

/** Options of {@link createServerGroup}. */
export interface ServerGroupOptions {
  /** Resolves once the group works as one again, after every start. */
  proveReady(): Promise<void>;
  /** Connections of clients; left out where the members have connections to each other. */
  connections?(): number | undefined;
}

/** Makes one server of several. */
export function createServerGroup(
  members: readonly [ManagedServer, ...ManagedServer[]],
  { proveReady, connections }: ServerGroupOptions,
): ServerGroup {
  const all = async (act: (member: ManagedServer) => unknown) => {
    await Promise.all(members.map(act));
  };
  return {
    members,
    address: members[0].address,
    addresses: members.map(({ address }) => address),
    get pids() {
      return members.flatMap(({ pids }) => pids);
    },
    stop: () => all((member) => member.stop()),
    start: async () => {
      await all((member) => member.start());
      await proveReady();
    },
    freeze: () => all((member) => member.freeze()),
    thaw: () => all((member) => member.thaw()),
    dispose: () => all((member) => member.dispose()),
    ...(connections === undefined ? {} : { connections }),
  };
}

/** Asks until `holds` resolves with true, for up to 15 seconds. */
export async function untilTrue(what: string, holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 15_000;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > giveUpAt) throw new Error(`${what}: not within 15 s`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
