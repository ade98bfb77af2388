import { systemClock } from './engine/system-clock.js';
import { type Fleet, openFleet } from './lease/fleet/fleet.js';
import {
  type PublishOptions,
  type PublishedHealth,
  type PublishedLease,
  publishInstance as publish,
} from './lease/fleet/publish.js';
import { type FleetOptions, resolveFleet } from './lease/fleet/resolve-fleet.js';
import { stderrLogger } from './stderr.js';

export type { FleetDetector } from './lease/fleet/detector.js';
export type { Fleet } from './lease/fleet/fleet.js';
export type {
  FleetEvent,
  FleetInstance,
  FleetView,
  InstanceState,
  MassLoss,
  RegistryState,
} from './lease/fleet/fleet-view.js';
export {
  INSTANCE_DATA_SCHEMA,
  type InstanceInfo,
  instanceData,
  parseInstanceData,
} from './lease/fleet/instance-data.js';
export type { PublishOptions, PublishedHealth, PublishedLease } from './lease/fleet/publish.js';
export type { FleetOptions, FleetPreserve } from './lease/fleet/resolve-fleet.js';

/**
 * Watches the instances that keep a lease below a prefix: who is up, suspect or down, what each tells about itself, and
 * whether so many vanished at once that the observer is the likely failure. It does not keep the process alive.
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function createFleet(options: FleetOptions): Fleet {
  const clock = options?.clock ?? systemClock;
  return openFleet(resolveFleet(options, { clock, logger: stderrLogger(clock) }));
}

/**
 * Keeps what observers of the fleet read about this instance up to date: phase, readiness and its reason, version, and the
 * time of this call as that of its start. It travels with the next renewal, so it may be a heartbeat old. Neither an error text nor the
 * name of a host is in it. The returned function ends it.
 * @throws OptionError naming the option, the accepted range and the value got
 */
export function publishInstance(
  health: PublishedHealth,
  lease: PublishedLease,
  options: PublishOptions = {},
): () => void {
  return publish(health, lease, { ...options, startedAt: systemClock.wallNow() });
}
