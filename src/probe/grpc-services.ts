import type { Clock } from '../core/clock.js';
import { freshStatus } from '../core/readiness.js';
import { SERVING_STATUS, type ServingStatus } from '../protocol/grpc-health.js';
import type { ProbeKind } from './probe-kind.js';
import type { ProbeModel } from './probe-model.js';

/** What each gRPC service name stands for. */
export interface GrpcServices {
  /** Its status as of now; `undefined` for a name that nothing has. */
  status(service: string): ServingStatus | undefined;
  names(): readonly string[];
  /** Runs on-demand checks first where the service depends on them; never rejects. */
  refresh(service: string): Promise<void>;
}

export interface GrpcServicesOptions {
  readonly model: ProbeModel;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether each check is a service too (E3). */
  readonly details: boolean;
  /** Waits for on-demand checks; never rejects. */
  readonly evaluate: () => Promise<void>;
}

/** The empty name is the whole server: whether to send it anything. */
const PROBES: ReadonlyMap<string, ProbeKind> = new Map([
  ['', 'readiness'],
  ['liveness', 'liveness'],
  ['readiness', 'readiness'],
  ['startup', 'startup'],
]);

/** Creates the table; a check that is named like a probe is not to be had. */
export function createGrpcServices(options: GrpcServicesOptions): GrpcServices {
  const { model, clock, details, evaluate } = options;

  function status(service: string): ServingStatus | undefined {
    const now = clock.now();
    const probe = PROBES.get(service);
    if (probe !== undefined)
      return serving(model.httpStatus(probe, model.decision(probe, now)) === 200);
    const view = details ? model.state().checks.get(service) : undefined;
    if (view === undefined) return undefined;
    const fresh = freshStatus(view, now);
    return serving(fresh === 'pass' || fresh === 'warn');
  }

  return {
    status,
    names: () => [...new Set([...PROBES.keys(), ...(details ? model.state().checks.keys() : [])])],
    refresh(service) {
      const probe = PROBES.get(service);
      const depends = probe === undefined || probe === 'readiness';
      const mayRun = model.state().onDemand && !model.loopStalled();
      return depends && mayRun ? evaluate() : Promise.resolve();
    },
  };
}

function serving(is: boolean): ServingStatus {
  return is ? SERVING_STATUS.serving : SERVING_STATUS.notServing;
}
