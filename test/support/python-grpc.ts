import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findPython } from '../../tools/ensure-servers.mjs';

/** A client on gRPC's C core in a process of its own. */
export interface PythonGrpcClient {
  /** What it told, in order: statuses, states of its channel, and the code of the end. */
  readonly told: readonly string[];
  ended(): Promise<void>;
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('grpc-client.py', import.meta.url));

/** Starts it; `channel` lets the client itself watch the health of the server, for so many seconds. */
export function startPythonGrpc(
  port: number,
  what: 'check' | 'watch' | 'channel',
  service: string,
  seconds = 10,
): PythonGrpcClient {
  const args = [SCRIPT, String(port), what, service, String(seconds)];
  const child: ChildProcess = spawn(findPython() ?? 'python3', args, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told: string[] = [];
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines)
      told.push(...Object.values(JSON.parse(line) as Record<string, string>));
  });
  const exited = once(child, 'close');
  return {
    told,
    async ended() {
      await exited;
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exited;
    },
  };
}
