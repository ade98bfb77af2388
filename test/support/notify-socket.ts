import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPython } from '../../tools/ensure-servers.mjs';
import { eventually } from './program.js';

/** One message that arrived at the socket. */
export interface NotifyMessage {
  /** Its variables. */
  readonly fields: Readonly<Record<string, string>>;
  /** Whether the kernel says that it came from the service's main process. */
  readonly own: boolean;
  /** Milliseconds since the service was started. */
  readonly at: number;
}

/** A service under a real `AF_UNIX` datagram socket, the way systemd runs it. */
export interface NotifyService {
  readonly messages: readonly NotifyMessage[];
  stderr(): string;
  /** Resolves with the first message that has the variable. */
  until(variable: string, value?: string): Promise<NotifyMessage>;
  /** Sends a signal to the service. */
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the wait status once it has ended. */
  ended(): Promise<number>;
  dispose(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('notify-socket.py', import.meta.url));

/** Starts a program; `inherit` gives it a connected descriptor named `notify` as well. */
export function startNotifyService(
  file: string,
  how: 'inherit' | 'path',
  env: Readonly<Record<string, string>>,
): NotifyService {
  const folder = mkdtempSync(path.join(tmpdir(), 'hale-notify-'));
  const started = performance.now();
  const command = [path.join(folder, 'notify'), how, process.execPath, file];
  const child = spawn(findPython() ?? 'python3', [SCRIPT, ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...env },
  });
  const messages: NotifyMessage[] = [];
  let [stderr, rest, pid] = ['', '', 0];
  let status: number | undefined;
  const take = (line: string): void => {
    const event = JSON.parse(line) as {
      pid?: number;
      status?: number;
      message?: string;
      own?: boolean;
    };
    pid = event.pid ?? pid;
    status = event.status ?? status;
    if (event.message === undefined) return;
    const pairs = event.message.split('\n').filter((text) => text.includes('='));
    const fields = Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    );
    messages.push({ fields, own: event.own === true, at: performance.now() - started });
  };
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
  const exited = once(child, 'exit');
  return {
    messages,
    stderr: () => stderr,
    until: (variable, value) =>
      eventually(
        `message with ${variable}=${value ?? ''}`,
        () =>
          messages.find(({ fields }) =>
            value === undefined ? variable in fields : fields[variable] === value,
          ),
        10_000,
        () => `${JSON.stringify(messages)} ${stderr}`,
      ),
    kill: (signal) => void process.kill(pid, signal),
    async ended() {
      await exited;
      return status ?? -1;
    },
    async dispose() {
      if (status === undefined && pid > 0) process.kill(pid, 'SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
