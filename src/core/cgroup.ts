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

/** The path of the process within the v2 hierarchy, from `/proc/self/cgroup`. */
export function cgroupPathV2(cgroup: string): string | undefined {
  return /^0::(\/.*)$/m.exec(cgroup)?.[1];
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
