import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A program of test/support/programs running in a process of its own. */
export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Everything it has written to standard error so far. */
  stderr(): string;
  /** The lines of standard error that are JSON. */
  logs(): Record<string, unknown>[];
  /** Messages it has sent so far. */
  readonly messages: Record<string, unknown>[];
  send(command: object): void;
  /** Resolves with the first message of that event, past ones included; rejects after `withinMs`. */
  message(event: string, withinMs?: number): Promise<Record<string, unknown>>;
  /** Resolves with the first log line of that event. */
  log(event: string, withinMs?: number): Promise<Record<string, unknown>>;
  exit(withinMs?: number): Promise<number | null>;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  readonly args?: readonly string[];
  readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const FOLDER = path.join(path.dirname(fileURLToPath(import.meta.url)), 'programs');

/** Bundles a program into a temporary folder; several processes can run the same file. */
export async function bundleProgram(name: string): Promise<{ file: string; remove: () => void }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'hale-program-'));
  const file = path.join(folder, `${name}.mjs`);
  await build({
    entryPoints: [path.join(FOLDER, `${name}.ts`)],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
    // Packages in CommonJS ask for Node's own modules with `require`.
    banner: {
      js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`,
    },
  });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts a bundled program. */
export function startProgram(file: string, options: ProgramOptions = {}): Program {
  const child = fork(file, [...(options.args ?? [])], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [...(options.execArgv ?? [])],
    env: { ...process.env, NODE_OPTIONS: '', ...options.env },
  });
  let stderr = '';
  const messages: Record<string, unknown>[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.on('message', (message: Record<string, unknown>) => messages.push(message));
  const logs = (): Record<string, unknown>[] => stderr.split('\n').flatMap(parseLine);
  const exited = once(child, 'exit');
  return {
    child,
    pid: child.pid ?? -1,
    stderr: () => stderr,
    logs,
    messages,
    send: (command) => void child.send(command),
    message: (event, withinMs) =>
      eventually(
        `message ${event}`,
        () => messages.find((item) => item['event'] === event),
        withinMs,
        () => stderr,
      ),
    log: (event, withinMs) =>
      eventually(
        `log line ${event}`,
        () => logs().find((item) => item['event'] === event),
        withinMs,
        () => stderr,
      ),
    async exit(withinMs = 10_000) {
      await Promise.race([
        exited,
        delay(withinMs, undefined, { ref: false }).then(() => {
          throw new Error(`still running after ${withinMs} ms: ${stderr}`);
        }),
      ]);
      return child.exitCode;
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await exited;
      }
    },
  };
}

/** Polls until there is something; rejects after `withinMs`. */
export async function eventually<T extends object | true>(
  what: string,
  find: () => T | undefined | Promise<T | undefined>,
  withinMs = 10_000,
  context: () => string = () => '',
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`no ${what} within ${withinMs} ms. ${context()}`);
    await delay(5);
  }
}

function parseLine(line: string): Record<string, unknown>[] {
  if (!line.startsWith('{')) return [];
  try {
    return [JSON.parse(line) as Record<string, unknown>];
  } catch {
    return [];
  }
}
