import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A process of any runtime that is watched to its end, and tells by lines of JSON on standard error. */
export interface WatchedProcess {
  readonly pid: number;
  stderr(): string;
  /** The lines so far that are of this event. */
  lines(event: string): Record<string, unknown>[];
  kill(signal: NodeJS.Signals): void;
  /** How and when it ended, by the monotonic clock. */
  readonly ended: Promise<Ended>;
  /** Ended by now? */
  isOver(): boolean;
  stop(): Promise<void>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly at: number;
}

export interface WatchOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Leaves what it writes to standard error in the pipe. */
  readonly unread?: boolean;
}

/** Runs a command as the first process of a PID namespace, as in a container without an init. Needs root. */
export function asFirstProcess(command: readonly string[]): readonly string[] {
  return ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', ...command];
}

/** Starts a command. */
export function startWatched(
  [file = '', ...args]: readonly string[],
  { env = {}, unread = false }: WatchOptions = {},
): WatchedProcess {
  const child = spawn(file, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  let stderr = '';
  if (!unread)
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
  let over = false;
  const ended = once(child, 'exit').then((): Ended => {
    over = true;
    return { code: child.exitCode, signal: child.signalCode, at: performance.now() };
  });
  return {
    pid: child.pid ?? -1,
    stderr: () => stderr,
    lines: (event) =>
      stderr
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((line) => line['event'] === event),
    kill: (signal) => void child.kill(signal),
    ended,
    isOver: () => over,
    async stop() {
      if (!over) child.kill('SIGKILL');
      await ended;
      child.stderr.destroy();
    },
  };
}
