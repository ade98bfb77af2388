import type { Clock } from '../core/clock.js';
import type { DrainProgress } from '../core/drain-progress.js';
import { OptionError } from '../core/errors.js';
import type { ProbePaths } from '../core/probe-options.js';
import { choiceOption, functionOption, objectOption } from '../core/validate.js';
import type { ProbeRequest } from '../probe/handler.js';
import type { ProbeResponse } from '../probe/prepared.js';
import { createServiceWatches } from '../probe/service-watches.js';
import { threadClock } from '../probe/thread-clock.js';
import {
  GRPC_HEALTH_DEFINITION,
  type GrpcHealthRequest,
  type GrpcMethod,
  type ServingList,
} from '../protocol/grpc-definition.js';
import { GRPC_STATUS, SERVING_STATUS, type ServingStatus } from '../protocol/grpc-health.js';

/** The part of a `Server` of `@grpc/grpc-js` that is used. */
export interface GrpcServerLike {
  addService(
    definition: Readonly<Record<string, GrpcMethod>>,
    implementation: Readonly<Record<string, (call: never, reply: never) => void>>,
  ): void;
}

/** The part of a `Health` that is used. */
export interface GrpcHealthSource {
  readonly probePaths: ProbePaths;
  handle(request: ProbeRequest): ProbeResponse | Promise<ProbeResponse>;
  report(): { readonly checks: readonly { readonly name: string }[] };
  onChange(listener: (change: GrpcHealthChange) => void): () => void;
}

/** A change, as far as it is looked at. */
export type GrpcHealthChange =
  | { readonly kind: 'drain'; readonly progress: DrainProgress }
  | { readonly kind: string };

export interface HealthServiceOptions {
  /** Further service names, such as `orders.v1.Orders`, and the probe each one follows. @defaultValue none */
  services?: Readonly<Record<string, keyof ProbePaths>>;
  /** For tests. @defaultValue the real time */
  clock?: Clock;
}

interface Call {
  readonly request: GrpcHealthRequest;
}

interface StreamCall extends Call {
  write(status: ServingStatus, sent: () => void): unknown;
  emit(event: 'error', status: { readonly code: number; readonly details: string }): unknown;
  on(event: 'cancelled', listener: () => void): unknown;
}

type Reply<T> = (error: { code: number; details: string } | null, value?: T) => void;

const PROBES = ['readiness', 'liveness', 'startup'] as const;
/** After the protocol: more services than this are not listed. */
const MAX_LISTED = 100;

/**
 * Adds the gRPC Health Checking Protocol (`grpc.health.v1.Health`: Check, Watch and List) to a server of
 * `@grpc/grpc-js`. The empty name and `readiness` follow readiness, `liveness` and `startup` their probes, and with
 * `probes.details` the name of each check follows that check. When the propagation delay of a drain is over the
 * streams of `Watch` end with `UNAVAILABLE`, so that they do not hold `tryShutdown()`. Returns what ends them earlier.
 * @throws OptionError on a server, health or service that is none.
 */
export function addHealthService(
  server: GrpcServerLike,
  health: GrpcHealthSource,
  options: HealthServiceOptions = {},
): () => void {
  functionOption('addHealthService (a server): addService', server?.addService);
  functionOption('addHealthService (a health): handle', health?.handle);
  const { services = {}, clock = threadClock } = objectOption('options', options);
  const statusOf = createStatuses(health, probesByName(services));
  const watches = createServiceWatches({ statusOf: statusOf.one, clock });
  const release = health.onChange((change) => {
    watches.look();
    if (hasPropagated(change)) void watches.end();
  });
  server.addService(GRPC_HEALTH_DEFINITION, {
    Check: (call: Call, reply: Reply<ServingStatus>) => void check(call, reply),
    List: (_: Call, reply: Reply<ServingList>) => void list(reply),
    Watch(call: StreamCall) {
      const remove = watches.add(call.request.service, {
        send: (status, sent) => void call.write(status, sent),
        end: () => void call.emit('error', shuttingDown()),
      });
      call.on('cancelled', remove);
    },
  });

  async function check({ request: { service } }: Call, reply: Reply<ServingStatus>): Promise<void> {
    const status = await statusOf.one(service);
    if (status !== undefined) reply(null, status);
    else reply({ code: GRPC_STATUS.notFound, details: `unknown service "${service}"` });
  }

  async function list(reply: Reply<ServingList>): Promise<void> {
    const statuses = await statusOf.all();
    if (statuses.length <= MAX_LISTED) reply(null, statuses);
    else
      reply({ code: GRPC_STATUS.resourceExhausted, details: `more than ${MAX_LISTED} services` });
  }

  return () => {
    release();
    void watches.end();
  };
}

function probesByName(
  services: Readonly<Record<string, keyof ProbePaths>>,
): ReadonlyMap<string, keyof ProbePaths> {
  const names = new Map<string, keyof ProbePaths>(PROBES.map((probe) => [probe, probe]));
  names.set('', 'readiness');
  for (const [name, probe] of Object.entries(objectOption('services', services))) {
    if (names.has(name)) throw new OptionError('services', 'names that hale does not use', name);
    names.set(name, choiceOption(`services.${name}`, probe, PROBES));
  }
  return names;
}

interface Statuses {
  one(service: string): Promise<ServingStatus | undefined>;
  all(): Promise<ServingList>;
}

/** Asks what the probe port would be asked, so that both always say the same. */
function createStatuses(
  health: GrpcHealthSource,
  probes: ReadonlyMap<string, keyof ProbePaths>,
): Statuses {
  const [readinessPath = ''] = health.probePaths.readiness;

  async function one(service: string): Promise<ServingStatus | undefined> {
    const probe = probes.get(service);
    const path =
      probe === undefined
        ? `${readinessPath}/${encodeURIComponent(service)}`
        : health.probePaths[probe][0];
    const { status } = await health.handle({ method: 'GET', url: path });
    if (status === 404) return undefined;
    return status === 200 ? SERVING_STATUS.serving : SERVING_STATUS.notServing;
  }

  return {
    one,
    async all() {
      const checks = health.report().checks.map(({ name }) => name);
      const names = [...new Set([...probes.keys(), ...checks])];
      const statuses = await Promise.all(names.map(one));
      return names.flatMap((name, index) => {
        const status = statuses[index];
        return status === undefined ? [] : [[name, status] as const];
      });
    },
  };
}

/** Whoever watches had the propagation delay to learn of the drain. */
function hasPropagated(change: GrpcHealthChange): boolean {
  if (!('progress' in change)) return false;
  const { progress } = change;
  return progress.kind === 'step_end' && progress.step === 'propagation';
}

function shuttingDown(): { code: number; details: string } {
  return { code: GRPC_STATUS.unavailable, details: 'the server is shutting down' };
}
