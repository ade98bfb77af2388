/** Calls a blocked Node.js thread is found in, by the numbers of each architecture. */
const X64: Readonly<Record<number, string>> = {
  0: 'read',
  1: 'write',
  7: 'poll',
  17: 'pread64',
  18: 'pwrite64',
  23: 'select',
  35: 'nanosleep',
  42: 'connect',
  43: 'accept',
  44: 'sendto',
  45: 'recvfrom',
  47: 'recvmsg',
  61: 'wait4',
  72: 'fcntl',
  73: 'flock',
  74: 'fsync',
  75: 'fdatasync',
  202: 'futex',
  230: 'clock_nanosleep',
  232: 'epoll_wait',
  247: 'waitid',
  257: 'openat',
  270: 'pselect6',
  271: 'ppoll',
  281: 'epoll_pwait',
};

const ARM64: Readonly<Record<number, string>> = {
  22: 'epoll_pwait',
  25: 'fcntl',
  32: 'flock',
  56: 'openat',
  63: 'read',
  64: 'write',
  67: 'pread64',
  68: 'pwrite64',
  72: 'pselect6',
  73: 'ppoll',
  82: 'fsync',
  83: 'fdatasync',
  95: 'waitid',
  98: 'futex',
  101: 'nanosleep',
  115: 'clock_nanosleep',
  202: 'accept',
  203: 'connect',
  206: 'sendto',
  207: 'recvfrom',
  212: 'recvmsg',
  260: 'wait4',
};

/** The name of a system call as `/proc/<pid>/syscall` numbers it; `undefined` where it is not known. */
export function syscallName(number: string | undefined, arch: string): string | undefined {
  if (number === undefined || !/^\d+$/.test(number)) return undefined;
  if (arch === 'x64') return X64[Number(number)];
  return arch === 'arm64' ? ARM64[Number(number)] : undefined;
}
