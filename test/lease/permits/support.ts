import type { ExitPermits } from '../../../src/core/exit-permit.js';
import type { LeaseCall, LeaseStore } from '../../../src/core/lease-store.js';
import { type Gates, applyUpdate } from '../../../src/core/probe-state.js';
import { decideReadiness } from '../../../src/core/readiness.js';
import { sharedReasons } from '../../../src/core/shared-reasons.js';
import { createExitKeeper } from '../../../src/engine/exit-keeper.js';
import { exitPermits } from '../../../src/lease/permits/index.js';
import type { ExitPermitsOptions } from '../../../src/lease/permits/resolve-permits.js';
import { memoryLease } from '../../../src/lease/stores/memory.js';
import type { ManualClock } from '../../../src/testing/manual-clock.js';
import { checkView, startedState } from '../../core/probe-state-builders.js';
import { createLog } from '../../engine/support.js';

/** A linear congruential generator: the same numbers in every run. */
export function seeded(seed: number): () => number {
  let state = seed % 2_147_483_647 || 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** What happens to the calls of one instance. */
export interface Network {
  /** `swallow`: the call takes effect and nobody hears of it. `deaf`: it hangs, even when it is given up. */
  mode: 'ok' | 'fail' | 'hang' | 'swallow' | 'deaf';
  latencyMs: () => number;
  calls: number;
}

/** A registry behind a network that may be slow, cut or lossy. */
export function behind(store: LeaseStore, clock: ManualClock, network: Network): LeaseStore {
  const until = (given: AbortSignal) =>
    new Promise<never>((_, reject) => {
      const giveUp = () => reject(new Error('given up'));
      if (given.aborted) giveUp();
      else given.addEventListener('abort', giveUp, { once: true });
    });
  const later = (ms: number) =>
    ms === 0 ? undefined : new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const signal = new AbortController().signal;
  const through = async <T>(
    given: LeaseCall,
    work: (call: LeaseCall) => Promise<T>,
  ): Promise<T> => {
    network.calls += 1;
    await later(network.latencyMs());
    if (network.mode === 'deaf') await new Promise(() => {});
    if (network.mode === 'hang') await until(given.signal);
    if (network.mode === 'fail') throw new Error('connection refused');
    // Whether anyone still waits for it is not known on the way.
    const answer = await work({ clock, signal });
    if (network.mode === 'swallow') await until(given.signal);
    await later(network.latencyMs());
    return answer;
  };
  return {
    ...store,
    acquire: (request, given) => through(given, (call) => store.acquire(request, call)),
    renew: (renewal, given) => through(given, (call) => store.renew(renewal, call)),
    release: (claim, given) => through(given, (call) => store.release(claim, call)),
    list: (query, given) => through(given, (call) => store.list(query, call)),
  };
}

export const network = (latencyMs: () => number = () => 0): Network => ({
  mode: 'ok',
  latencyMs,
  calls: 0,
});

export interface InstanceOptions {
  readonly clock: ManualClock;
  readonly random: () => number;
  readonly permits: ExitPermits;
}

/** An instance with one critical check: the keeper of the engine and the decision of the probes, without the rest. */
export function createInstance({ clock, random, permits }: InstanceOptions) {
  const log = createLog();
  let state = startedState([checkView('database', { freshUntil: Infinity })]);
  let phase: 'running' | 'draining' = 'running';
  const decide = () =>
    decideReadiness({
      ...{ state, phase },
      now: clock.now(),
      evaluatedAt: clock.now(),
      staleAfterMs: 10_000,
    });
  const watchers: (() => void)[] = [];
  const look = (): void => {
    const decision = decide();
    keeper.look(decision, sharedReasons(decision, state, 0));
    for (const watcher of watchers) watcher();
  };
  const setGates = (gates: Partial<Gates>): void => {
    state = applyUpdate(state, { state: { gates: { ...state.gates, ...gates } } });
    look();
  };
  const keeper = createExitKeeper({
    ...{ permits, clock, random, logger: log.logger },
    publisher: { patch: (change) => void (state = applyUpdate(state, { state: change })) },
    gates: {
      get current() {
        return state.gates;
      },
      set: setGates,
    },
  });
  look();
  return {
    log,
    keeper,
    decide,
    get permit() {
      return state.gates.exitPermit;
    },
    get counts() {
      return state.exitPermits;
    },
    watch: (watcher: () => void) => void watchers.push(watcher),
    database(up: boolean): void {
      const view = checkView('database', { freshUntil: Infinity, verdict: up ? 'pass' : 'fail' });
      state = applyUpdate(state, { checks: [view] });
      look();
    },
    drain(): void {
      phase = 'draining';
      look();
    },
    setGates,
  };
}

export interface FleetOptions extends Partial<ExitPermitsOptions> {
  readonly count: number;
  readonly clock: ManualClock;
  readonly seed?: number;
  readonly latencyMs?: () => number;
}

/** So many instances on one registry, each behind a network of its own. */
export function createInstances({
  count,
  clock,
  seed = 1,
  latencyMs,
  store = memoryLease(),
  ...options
}: FleetOptions) {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, index) => {
    const line = network(latencyMs);
    const permits = exitPermits({
      service: 'orders',
      instances: count,
      floor: 0.3,
      holder: `orders-${index}`,
      ...options,
      store: behind(store, clock, line),
    });
    return { network: line, ...{ instance: createInstance({ clock, random, permits }) } };
  });
}
