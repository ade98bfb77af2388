/** CPUs that `cpu.max` of cgroup v2 allows: `"50000 100000"` is half of one, `"max 100000"` no limit. */
export function cpuLimitV2(text: string): number | undefined {
  const [quota, period] = text.trim().split(/\s+/);
  return ratio(Number(quota), Number(period));
}

/** CPUs that `cpu.cfs_quota_us` and `cpu.cfs_period_us` of cgroup v1 allow; −1 is no limit. */
export function cpuLimitV1(quota: string, period: string): number | undefined {
  return ratio(Number(quota.trim()), Number(period.trim()));
}

function ratio(quota: number, period: number): number | undefined {
  const cpus = quota / period;
  return Number.isFinite(cpus) && cpus > 0 ? cpus : undefined;
}

/** Above this, the number of v1 that stands for "no limit" begins. */
const NO_LIMIT = 2 ** 60;

/** Bytes that `memory.max` (v2) or `memory.limit_in_bytes` (v1) allows. */
export function memoryLimit(text: string): number | undefined {
  const bytes = Number(text.trim());
  return Number.isFinite(bytes) && bytes > 0 && bytes < NO_LIMIT ? bytes : undefined;
}

const ROOT = '/sys/fs/cgroup';

/**
 * The folders of the v2 hierarchy that bind the process, from `/proc/self/cgroup`: its own group first, then those
 * around it. Within a container its own group is the root of what it sees.
 */
export function cgroupFoldersV2(cgroup: string): readonly string[] {
  return upwards(ROOT, /^0::(\/.*)$/m.exec(cgroup)?.[1]);
}

/** The same for one controller of v1, such as `memory`. */
export function cgroupFoldersV1(cgroup: string, controller: string): readonly string[] {
  const lines = cgroup.split('\n').map((line) => /^\d+:([^:]*):(\/.*)$/.exec(line));
  const own = lines.find((line) => line?.[1]?.split(',').includes(controller));
  return upwards(`${ROOT}/${controller}`, own?.[2]);
}

function upwards(root: string, path = '/'): readonly string[] {
  const names = path.split('/').filter((name) => name !== '');
  return Array.from({ length: names.length + 1 }, (_, up) =>
    [root, ...names.slice(0, names.length - up)].join('/'),
  );
}

/** What a group's CPU quota did to it since the group was made. */
export interface CpuStat {
  /** Periods of the quota in which something ran. */
  readonly periods: number;
  /** Periods in which the quota was used up. */
  readonly throttled: number;
  /** How long the group's threads were held, summed over the CPUs. */
  readonly throttledMs: number;
}

/** Reads `cpu.stat` of v2 (microseconds) or v1 (nanoseconds); undefined where it counts no periods. */
export function cpuStat(text: string): CpuStat | undefined {
  const periods = field(text, 'nr_periods');
  const throttled = field(text, 'nr_throttled');
  if (periods === undefined || throttled === undefined) return undefined;
  const v2 = field(text, 'throttled_usec');
  const throttledMs = v2 === undefined ? (field(text, 'throttled_time') ?? 0) / 1e6 : v2 / 1e3;
  return { periods, throttled, throttledMs };
}

/** Bytes of file cache that the kernel gives back first, from `memory.stat` of v2 or v1. */
export function inactiveFileBytes(text: string): number {
  // In v1 the plain figure leaves out the groups below.
  return field(text, 'total_inactive_file') ?? field(text, 'inactive_file') ?? 0;
}

function field(text: string, name: string): number | undefined {
  const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

const CONTAINER_ID = /(?:^|[/:_-])([0-9a-f]{64})(?:\.scope)?(?:[/\s]|$)/m;

/**
 * The container's id, from `/proc/self/cgroup` (v1, or v2 without a cgroup namespace) or from the mounts of
 * `/proc/self/mountinfo`, where Docker and containerd bind `/etc/hostname` from a folder with the id.
 */
export function containerId(cgroup: string, mountinfo: string): string | undefined {
  const mounts = mountinfo
    .split('\n')
    .filter((line) => /\/etc\/(hostname|hosts|resolv\.conf) /.test(line));
  return CONTAINER_ID.exec(cgroup)?.[1] ?? CONTAINER_ID.exec(mounts.join('\n'))?.[1];
}
