import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { type ProbeResult, failed, judgeFile } from './verdict.js';

/** Five beats: older, and whoever writes the file has stopped. */
const OLDEST_MS = 10_000;
/** What hale writes is shorter. */
const READ_BYTES = 4096;

/** Looks at a file of `probes.files`: it must be there, and somebody must still beat for it. */
export function askFile(path: string, wallNow: number): ProbeResult {
  try {
    const stat = statSync(path);
    // Opening a pipe would wait for somebody to write to it.
    if (!stat.isFile()) return failed(`${path} is not a file`);
    const ageMs = wallNow - stat.mtimeMs;
    if (ageMs > OLDEST_MS) return failed(`${path} has not changed for ${seconds(ageMs)}`);
    // The clock was put back: whoever still writes it corrects that with the next beat.
    if (ageMs < -OLDEST_MS) return failed(`${path} has a time that is ${seconds(-ageMs)} ahead`);
    return judgeFile(beginningOf(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return failed(code === 'ENOENT' ? `${path} does not exist` : message);
  }
}

function beginningOf(path: string): string {
  const descriptor = openSync(path, 'r');
  const bytes = Buffer.alloc(READ_BYTES);
  const length = readSync(descriptor, bytes);
  closeSync(descriptor);
  return bytes.toString('utf8', 0, length);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
