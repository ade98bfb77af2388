import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program of `test/stories/programs` in a process of its own. */
export interface ChildProgram {
  readonly child: ChildProcess;
  /** Everything printed so far on both outputs. */
  output(): string;
  /** The next message of this kind. */
  message(kind: string): Promise<Record<string, unknown>>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts a program that imports the built package. */
export function startChild(
  name: string,
  args: readonly string[] = [],
  execArgv: readonly string[] = [],
): ChildProgram {
  const file = fileURLToPath(new URL(`programs/${name}.mjs`, import.meta.url));
  const child = fork(file, [...args], {
    execArgv: [...execArgv],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  child.stdout?.on('data', (chunk) => (printed += String(chunk)));
  child.stderr?.on('data', (chunk) => (printed += String(chunk)));
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
  }));
  return {
    child,
    output: () => printed,
    message: (kind) =>
      new Promise((resolve, reject) => {
        void ended.then(() => reject(new Error(`ended before "${kind}":\n${printed}`)));
        child.on('message', (message: Record<string, unknown>) => {
          if (message['kind'] === kind) resolve(message);
        });
      }),
    ended,
  };
}
