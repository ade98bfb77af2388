import type { Clock } from '../../src/core/clock.js';
import type { BoundAddress, ProbeHostEvents } from '../../src/core/probe-host.js';
import type { ProbeOptions } from '../../src/core/probe-options.js';
import { systemClock } from '../../src/engine/system-clock.js';
import type { AnsweringHost } from '../../src/probe/answering-host.js';
import { createInlineHost } from '../../src/probe/inline-host.js';
import { createThreadHost } from '../../src/probe/thread-host.js';
import { startedState } from '../core/probe-state-builders.js';
import { probeOptions } from '../support/probing.js';

/** A host that says what happens to it. */
export interface HostKit {
  readonly host: AnsweringHost;
  readonly errors: unknown[];
  evaluations: number;
  /** Starts it as a started, evaluated service; returns the probe port. */
  start(): Promise<number>;
  port(kind: BoundAddress['kind']): number;
}

/** The kit neither beats nor evaluates, however long a busy machine takes over a test. */
const NEVER_OVERDUE = { stallAfterMs: 600_000, staleAfterMs: 600_000 };

export const ISOLATIONS = ['thread', 'inline'] as const;

/** Creates a host of either kind on free ports. */
export function createHostKit(
  isolation: (typeof ISOLATIONS)[number],
  changes: Partial<ProbeOptions> = {},
  more: {
    readonly threadSource?: string;
    readonly evaluate?: () => Promise<void>;
    /** Of an inline host. */
    readonly clock?: Clock;
  } = {},
): HostKit {
  const errors: unknown[] = [];
  const events: ProbeHostEvents = {
    async evaluate() {
      kit.evaluations += 1;
      await more.evaluate?.();
    },
    onStall() {},
    onStallEnd() {},
    onLivenessFailed() {},
    onError: (error) => errors.push(error),
  };
  const options = probeOptions({ ...NEVER_OVERDUE, ...changes });
  const given = { options, events, clock: more.clock ?? systemClock };
  const { threadSource } = more;
  const host =
    isolation === 'inline'
      ? createInlineHost(given)
      : createThreadHost({ ...given, ...(threadSource === undefined ? {} : { threadSource }) });
  let addresses: readonly BoundAddress[] = [];
  const port = (kind: BoundAddress['kind']): number =>
    addresses.find((address) => address.kind === kind)?.port ?? 0;
  const kit: HostKit = {
    host,
    errors,
    evaluations: 0,
    async start() {
      host.publish({ state: startedState() });
      host.board.setPhase('running');
      host.board.beatLoop(systemClock.now());
      host.board.setEvaluatedAt(systemClock.now());
      addresses = await host.start();
      return port('probes');
    },
    port,
  };
  return kit;
}
