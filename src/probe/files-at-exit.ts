import type { ProbeFiles } from '../core/probe-options.js';

/**
 * Removes the files of this process when it exits without a drain: the probe thread is then ended before it could.
 * Returns what takes the listener off again.
 */
export function removeFilesAtExit(files: ProbeFiles | undefined): () => void {
  if (files === undefined) return () => {};
  const remove = (): void => {
    for (const file of Object.values(files)) removeOwn(file);
  };
  process.once('exit', remove);
  return () => void process.off('exit', remove);
}

function removeOwn(file: string): void {
  const { readFileSync, rmSync } = process.getBuiltinModule('node:fs');
  try {
    const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid?: unknown };
    if (pid === process.pid) rmSync(file, { force: true });
  } catch {
    // Not there any more, or another process's: nothing to remove.
  }
}
