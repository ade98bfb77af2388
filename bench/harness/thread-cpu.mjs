import { readFileSync } from 'node:fs';

/**
 * CPU time the main thread of a process has used, in microseconds, read from outside so that reading costs the
 * process nothing. The kernel counts it in nanoseconds.
 * @param {number} pid
 */
export function mainThreadCpuUs(pid) {
  const text = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8');
  const runNs = Number(text.split(' ')[0]);
  if (!(runNs > 0)) throw new Error('this kernel does not count CPU time per thread (schedstat)');
  return runNs / 1000;
}
