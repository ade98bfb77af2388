import { readFileSync, readdirSync } from 'node:fs';
import type { KernelState } from '../core/probe-host.js';
import { syscallName } from './syscall-names.js';

/** Reads what the kernel says of the main thread; on systems without `/proc` every field is absent. */
export function readKernelState(pid: number): KernelState {
  const childProcesses = childCommands(pid);
  return {
    ...readMainThread(pid),
    ...(childProcesses.length === 0 ? {} : { childProcesses }),
  };
}

/** The same without child processes, whose command lines may be slow to come by. */
export function readMainThread(pid: number): KernelState {
  const state = threadState(pid);
  const wchan = readText(`/proc/self/task/${pid}/wchan`);
  const syscall = readText(`/proc/self/task/${pid}/syscall`)?.split(' ')[0];
  const name = syscallName(syscall, process.arch);
  return {
    ...(state === undefined ? {} : { state }),
    // `0` is how the kernel says that it will not tell, or that the thread runs.
    ...(wchan === undefined || wchan === '' || wchan === '0' ? {} : { wchan }),
    ...(syscall === undefined || syscall === '' ? {} : { syscall }),
    ...(name === undefined ? {} : { syscallName: name }),
  };
}

/** The scheduling state of the main thread, whose thread id is the process id: one letter, or `undefined`. */
export function threadState(pid: number): string | undefined {
  const stat = readText(`/proc/self/task/${pid}/stat`);
  // The command name before it may itself hold parentheses and spaces.
  return stat === undefined ? undefined : /.*\) (\w)/s.exec(stat)?.[1];
}

/** Command lines of the child processes the main thread has started: `execFileSync` waits for one. */
function childCommands(pid: number): string[] {
  const listed = readText(`/proc/self/task/${pid}/children`)?.split(' ') ?? childrenByScan(pid);
  return listed
    .filter((child) => /^\d+$/.test(child))
    .slice(0, 5)
    .map((child) => readText(`/proc/${child}/cmdline`)?.replaceAll('\0', ' ').trim() ?? '')
    .filter((command) => command !== '');
}

/** For kernels built without the `children` file. */
function childrenByScan(pid: number): string[] {
  try {
    return readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && parentOf(entry) === pid);
  } catch {
    return [];
  }
}

function parentOf(entry: string): number {
  const stat = readText(`/proc/${entry}/stat`);
  return Number(stat === undefined ? undefined : /.*\) \w (\d+)/s.exec(stat)?.[1]);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
