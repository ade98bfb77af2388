import { readFileSync, statSync } from 'node:fs';
import { type ProbeResult, failed, judgeFile } from './verdict.js';

/** Five beats: older, and whoever writes the file has stopped. */
const OLDEST_MS = 10_000;

/** Looks at a file of `probes.files`: it must be there, and somebody must still beat for it. */
export function askFile(path: string, wallNow: number): ProbeResult {
  try {
    const ageMs = wallNow - statSync(path).mtimeMs;
    if (ageMs > OLDEST_MS)
      return failed(`${path} has not changed for ${Math.round(ageMs / 1000)} s`);
    return judgeFile(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return failed(code === 'ENOENT' ? `${path} does not exist` : message);
  }
}
