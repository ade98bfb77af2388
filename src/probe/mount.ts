import { OptionError } from '../core/errors.js';
import type { Phase } from '../core/phase.js';
import type { ProbePaths } from '../core/probe-options.js';
import { objectOption } from '../core/validate.js';
import type { ProbeRequest } from './handler.js';
import type { ProbeResponse } from './prepared.js';
import { parseTarget } from './routes.js';

/** What mounting probes on a port of the application uses of `Health`. */
export interface MountableHealth {
  readonly probePaths: ProbePaths;
  readonly phase: Phase;
  handle(request: ProbeRequest): ProbeResponse | Promise<ProbeResponse>;
}

/** Where probes are mounted. */
export interface MountOptions {
  /**
   * Put before each probe path, such as `/orders`: `/orders/livez`. Nothing is answered at the root then.
   * @defaultValue '' the root
   */
  basePath?: string;
}

/** Answers a request for a probe; `undefined` leaves any other to the application. Never throws or rejects. */
export type Mount = (request: ProbeRequest) => ProbeResponse | Promise<ProbeResponse> | undefined;

/** Clients resolve `.` and `..` before they ask, so nobody would get there. */
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/;

/**
 * Mounts the probes of `health`: the three questions and nothing else. Details, metrics and the report stay on ports
 * of their own, because a port of the application is usually public (E3), and a query is dropped before it is looked at.
 * @throws OptionError on a bad `basePath`, or when `health` is none.
 */
export function createMount(health: MountableHealth, options: MountOptions = {}): Mount {
  checkHealth(health);
  const basePath = basePathOf(options);
  const { liveness, readiness, startup } = health.probePaths;
  const paths = new Map(
    [...liveness, ...readiness, ...startup].map((path) => [basePath + path, path]),
  );
  return ({ method, url = '/' }) => {
    // A target that is a plain path, as nearly every one is, needs no taking apart.
    const path = paths.get(url) ?? paths.get(parseTarget(url).path);
    return path === undefined ? undefined : health.handle({ method, url: path });
  };
}

/** Whether a client should be told to go elsewhere with its next request (D3). */
export function isLeaving({ phase }: Pick<MountableHealth, 'phase'>): boolean {
  return phase === 'draining' || phase === 'stopped';
}

function checkHealth(health: MountableHealth): void {
  const { handle, probePaths } = (health ?? {}) as Partial<MountableHealth>;
  if (typeof handle === 'function' && typeof probePaths === 'object') return;
  throw new OptionError('health', 'what createHealth() returns', health);
}

function basePathOf(options: MountOptions): string {
  const { basePath = '' } = objectOption('mount', options);
  if (typeof basePath === 'string' && BASE_PATH.test(basePath)) return basePath;
  throw new OptionError(
    'basePath',
    '"" or a path such as "/orders", of letters, digits and . _ ~ - /, no slash at its end, no "." or ".."',
    basePath,
  );
}
