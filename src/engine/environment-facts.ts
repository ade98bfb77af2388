import {
  cgroupFoldersV2,
  containerId,
  cpuLimitV1,
  cpuLimitV2,
  memoryLimit,
} from '../core/cgroup.js';
import type { Environment } from '../core/environment.js';
import type { Ancestor, EnvironmentFacts, Orchestrator } from '../core/findings.js';
import { heapLimitBytes, readText } from './builtins.js';

export interface FactsOptions {
  readonly env: Environment;
  readonly pid: number;
  readonly parentPid: number;
  readonly shutdownDeadlineMs: number;
  readonly gracePeriodMs?: number | undefined;
  readonly handlesSignals: boolean;
  /** Reads a small file; may throw. @defaultValue the file system */
  readonly read?: (file: string) => string;
}

/** Looks once at where the process runs: a handful of small files, read synchronously. Never throws. */
export function readEnvironmentFacts(options: FactsOptions): EnvironmentFacts {
  const { env, pid, parentPid, shutdownDeadlineMs, gracePeriodMs, handlesSignals } = options;
  const text = safely(options.read ?? readText);
  const cgroup = text('/proc/self/cgroup') ?? '';
  const facts = {
    packageScript: plain(env['npm_lifecycle_event']),
    gracePeriodMs,
    cpuLimit: cpuLimit(text, cgroup),
    memoryLimitBytes: limitOfMemory(text, cgroup),
    heapLimitBytes: heapLimitBytes(),
    containerId: containerId(cgroup, text('/proc/self/mountinfo') ?? ''),
    orchestrator: orchestratorOf(env),
  };
  return {
    pid,
    ancestors: ancestorsOf(text, parentPid),
    shutdownDeadlineMs,
    handlesSignals,
    ...defined(facts),
  };
}

type Read = (file: string) => string | undefined;

function safely(read: (file: string) => string): Read {
  return (file) => {
    try {
      return read(file);
    } catch {
      // Not this platform, or not permitted: the fact is unknown.
      return undefined;
    }
  };
}

/** Leaves out what is unknown. */
function defined<T extends object>(facts: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined),
  ) as never;
}

/** The parent and its parent; further up nothing decides over signals any more. */
function ancestorsOf(text: Read, parentPid: number): Ancestor[] {
  const parent = ancestor(text, parentPid);
  if (parent === undefined) return [];
  // Behind the command name in parentheses, which may itself hold spaces: state, then the parent's id (proc(5)).
  const stat = text(`/proc/${parentPid}/stat`) ?? '';
  const grandparent = ancestor(text, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  return grandparent === undefined ? [parent] : [parent, grandparent];
}

function ancestor(text: Read, pid: number): Ancestor | undefined {
  if (!Number.isInteger(pid) || pid < 1) return undefined;
  const command = text(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim();
  return command === undefined ? undefined : { pid, command };
}

const ROOT = '/sys/fs/cgroup';

function cpuLimit(text: Read, cgroup: string): number | undefined {
  const v2 = firstOf(cgroupFoldersV2(cgroup), (folder) => text(`${folder}/cpu.max`));
  if (v2 !== undefined) return cpuLimitV2(v2);
  const quota = text(`${ROOT}/cpu/cpu.cfs_quota_us`);
  const period = text(`${ROOT}/cpu/cpu.cfs_period_us`);
  return quota === undefined || period === undefined ? undefined : cpuLimitV1(quota, period);
}

function limitOfMemory(text: Read, cgroup: string): number | undefined {
  const limit =
    firstOf(cgroupFoldersV2(cgroup), (folder) => text(`${folder}/memory.max`)) ??
    text(`${ROOT}/memory/memory.limit_in_bytes`);
  return limit === undefined ? undefined : memoryLimit(limit);
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function orchestratorOf(env: Environment): Orchestrator | undefined {
  const found: Orchestrator = defined({
    // In Kubernetes the host name is the pod's, unless it runs on the host's network.
    pod: plain(env['POD_NAME']) ?? (env['KUBERNETES_SERVICE_HOST'] && plain(env['HOSTNAME'])),
    namespace: plain(env['POD_NAMESPACE']),
    node: plain(env['NODE_NAME']),
  });
  return Object.keys(found).length === 0 ? undefined : found;
}

const LONGEST_VALUE = 253;

function plain(value: string | undefined): string | undefined {
  const text = value?.trim();
  return text === undefined || text === '' ? undefined : text.slice(0, LONGEST_VALUE);
}
