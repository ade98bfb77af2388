/** What makes monotonic times of several processes comparable: they are on one machine, between two boots. */
export interface Machine {
  /** Changes with every boot; empty where the system does not tell. */
  readonly bootId: string;
  /** By how much the monotonic clock of this process is ahead of the machine's: containers may have a time of their own. */
  readonly offsetMs: number;
}

/** Looks at the system this process runs on. */
export function thisMachine(): Machine {
  return {
    bootId: readText('/proc/sys/kernel/random/boot_id'),
    offsetMs: parseTimeOffset(readText('/proc/self/timens_offsets')),
  };
}

/** The monotonic offset in `/proc/<pid>/timens_offsets` (time_namespaces(7)), in milliseconds. */
export function parseTimeOffset(text: string): number {
  const found = /^monotonic\s+(-?\d+)\s+(\d+)/m.exec(text);
  return found === null ? 0 : Number(found[1]) * 1000 + Number(found[2]) / 1e6;
}

function readText(file: string): string {
  try {
    return process.getBuiltinModule('node:fs').readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
