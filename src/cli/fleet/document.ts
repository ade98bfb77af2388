import type { FleetEvent, FleetInstance, FleetView } from '../../fleet.js';

/** Grows when a field is removed or changes its meaning. */
const FLEET_SCHEMA = 1;

/** The fleet as JSON. */
export function fleetDocument(view: FleetView, list: readonly FleetInstance[]): string {
  return toJson({ schema: FLEET_SCHEMA, ...view, instances: list });
}

/** An event as a line of JSON. */
export function eventDocument(event: FleetEvent, at: string): string {
  const told = event.kind === 'registry_lost' ? { kind: event.kind } : event;
  return toJson({ at, ...told });
}

/** Tokens are texts: as numbers they would end at 2^53. */
function toJson(value: object): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? String(each) : each,
  );
}
