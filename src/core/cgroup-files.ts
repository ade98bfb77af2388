import {
  type CpuStat,
  cgroupFoldersV1,
  cgroupFoldersV2,
  cpuStat,
  inactiveFileBytes,
  memoryLimit,
} from './cgroup.js';
import { type ReadText, firstReadable, readableText } from './file-reader.js';

const OWN = '/proc/self/cgroup';

/**
 * The lowest memory limit in bytes of the process's group and the groups around it, v2 or v1; undefined without one.
 * Read anew each time: the limit of a running container can change.
 */
export function readMemoryLimit(read: ReadText): number | undefined {
  const own = readableText(read, OWN) ?? '';
  const files = [
    ...cgroupFoldersV2(own).map((folder) => `${folder}/memory.max`),
    ...cgroupFoldersV1(own, 'memory').map((folder) => `${folder}/memory.limit_in_bytes`),
  ];
  const limits = files
    .map((file) => memoryLimit(readableText(read, file) ?? ''))
    .filter((limit) => limit !== undefined);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/**
 * Bytes that the process's group uses without what the kernel gives back at once: the working set by which the kubelet
 * decides (cAdvisor). Undefined without a group that counts.
 */
export function readWorkingSet(read: ReadText): number | undefined {
  const own = readableText(read, OWN) ?? '';
  const v2 = cgroupFoldersV2(own);
  const v1 = cgroupFoldersV1(own, 'memory');
  const usage = firstReadable(read, [
    ...v2.map((folder) => `${folder}/memory.current`),
    ...v1.map((folder) => `${folder}/memory.usage_in_bytes`),
  ]);
  if (usage === undefined) return undefined;
  const stat = firstReadable(
    read,
    [...v2, ...v1].map((folder) => `${folder}/memory.stat`),
  );
  return Math.max(0, Number(usage.trim()) - inactiveFileBytes(stat ?? ''));
}

/**
 * What the nearest CPU quota around the process did so far, v2 or v1; undefined where no group counts. Its own group
 * counts only its own quota, so one without periods is passed over for the group around it.
 */
export function readCpuStat(read: ReadText): CpuStat | undefined {
  const own = readableText(read, OWN) ?? '';
  const folders = [...cgroupFoldersV2(own), ...cgroupFoldersV1(own, 'cpu')];
  const stats = folders
    .map((folder) => cpuStat(readableText(read, `${folder}/cpu.stat`) ?? ''))
    .filter((stat) => stat !== undefined);
  return stats.find(({ periods }) => periods > 0) ?? stats[0];
}
