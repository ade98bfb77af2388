/** A process that keeps a SQLite file locked. */
export interface FileLocker {
  readonly pid: number;
  /** Whether it was stopped by a signal or a debugger; a container that is paused does not show. */
  readonly stopped: boolean;
}

/** Where the lock of the one that writes is in the file beside the database, with a write-ahead log (SQLite, wal.c). */
const WAL_WRITE_BYTE = 120;

/** The process that has the right to write to a SQLite file, where the system tells (Linux); never throws. */
export function fileLocker(file: string): FileLocker | undefined {
  try {
    const { readFileSync, statSync } = process.getBuiltinModule('node:fs');
    const inode = (name: string): number | undefined =>
      statSync(name, { throwIfNoEntry: false })?.ino;
    const locks = readFileSync('/proc/locks', 'utf8');
    const pid = parseWriter(locks, { main: inode(file), shared: inode(`${file}-shm`) });
    if (pid === undefined) return undefined;
    return { pid, stopped: isStopped(readFileSync(`/proc/${pid}/stat`, 'utf8')) };
  } catch {
    return undefined;
  }
}

/** The process in `/proc/locks` (proc_locks(5)) that has locked one of two files, by their inodes, for writing. */
export function parseWriter(
  locks: string,
  { main, shared }: { main: number | undefined; shared: number | undefined },
): number | undefined {
  for (const line of locks.split('\n')) {
    // One that waits has an arrow before its kind, and does not match.
    const found = /^\d+: POSIX +\w+ +WRITE (\d+) \w+:\w+:(\d+) (\d+) (\d+|EOF)/.exec(line);
    if (found === null) continue;
    const [pid = 0, inode, from = 0, to = 0] = found.slice(1).map(Number);
    const writes = from <= WAL_WRITE_BYTE && !(to < WAL_WRITE_BYTE);
    if (inode === main || (inode === shared && writes)) return pid;
  }
  return undefined;
}

/** The state follows the name of the program, which may hold spaces and brackets (proc_pid_stat(5)). */
function isStopped(stat: string): boolean {
  return /^ [Tt] /.test(stat.slice(stat.lastIndexOf(')') + 1));
}
