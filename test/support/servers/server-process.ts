import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

// Below the usual ephemeral range: a client that keeps reconnecting to a closed ephemeral port can
// connect to itself (TCP simultaneous open), and an outgoing socket could take the port meanwhile.
const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;
const STOPPED_WITHIN_MS = 500;

/** Ends a server whose owner has gone: PostgreSQL's children would survive a killed test runner. */
export const REAPER = fileURLToPath(new URL('reaper.sh', import.meta.url));

/** A started server process with everything that it printed. */
export interface ServerProcess {
  readonly pid: number;
  /** Everything printed so far. */
  output(): string;
  /** True once the process has ended. */
  hasEnded(): boolean;
  /** Sends a signal to the process and, where it matters, to its children. */
  signal(signal: NodeJS.Signals, withChildren?: boolean): void;
  /** Sends `signal` and waits for the end; SIGKILL after five seconds. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** How to start one server process. */
export interface ServerCommand {
  file: string;
  args: string[];
  folder: string;
  uid?: number | undefined;
  gid?: number | undefined;
}

/** A random port that was free on 127.0.0.1 a moment ago. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Direct children of a process, as the kernel lists them; empty where there is no /proc. */
export function childrenOf(pid: number): number[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid);
}

/** The children of a process, theirs, and so on. */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces, so fields are counted from the last parenthesis.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/**
 * Returns once each thread of the processes is stopped, which a signal does not wait for: until then another CPU may
 * still answer somebody.
 */
export function waitUntilStopped(pids: readonly number[]): void {
  const giveUpAt = performance.now() + STOPPED_WITHIN_MS;
  while (!pids.every(isStopped) && performance.now() < giveUpAt);
}

function isStopped(pid: number): boolean {
  const folder = `/proc/${pid}/task`;
  try {
    return readdirSync(folder).every((thread) => {
      const stat = readFileSync(`${folder}/${thread}/stat`, 'utf8');
      return stat[stat.lastIndexOf(')') + 2] === 'T';
    });
  } catch {
    // It has ended, or there is no /proc.
    return true;
  }
}

function sendQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself, which is what a stop wants anyway.
  }
}

function startReaper(pid: number, folder: string): ChildProcess {
  const reaper = spawn('/bin/sh', [REAPER, String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A group of its own: Ctrl+C in the terminal must not end the reaper before its work.
    detached: true,
  });
  reaper.unref();
  (reaper.stdin as unknown as { unref(): void }).unref();
  reaper.stdin?.on('error', () => {});
  return reaper;
}

/** Starts a server process that cannot outlive the test process. */
export async function startServerProcess(command: ServerCommand): Promise<ServerProcess> {
  const { file, args, folder, uid, gid } = command;
  const identity = uid === undefined ? {} : { uid, gid };
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    cwd: folder,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    ...identity,
  });
  await once(child, 'spawn');
  const chunks: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const pid = child.pid as number;
  const reaper = startReaper(pid, folder);
  const ended = once(child, 'close').then(() => reaper.kill('SIGKILL'));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const signal = (name: NodeJS.Signals, withChildren = false) => {
    if (hasEnded()) return;
    sendQuietly(pid, name);
    if (withChildren) for (const each of descendantsOf(pid)) sendQuietly(each, name);
  };
  return {
    pid,
    output: () => chunks.join(''),
    hasEnded,
    signal,
    end: async (name) => {
      // A stopped process keeps a signal pending and would look like one that ignores it.
      signal('SIGCONT', true);
      signal(name);
      const last = setTimeout(() => signal('SIGKILL', true), 5_000);
      await ended;
      clearTimeout(last);
    },
  };
}
