import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundleLibrary } from '../../tools/bundle-library.mjs';
import { ROOT } from '../../tools/lib/run.mjs';

/** The `hale` command as it is published, built into a temporary folder. */
export interface HaleCommand {
  readonly file: string;
  /** Runs it as an orchestrator does, without a shell. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandRun>;
  remove(): void;
}

export interface CommandRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** Builds the command. */
export async function buildHaleCommand(): Promise<HaleCommand> {
  const folder = mkdtempSync(path.join(tmpdir(), 'hale-command-'));
  await bundleLibrary(ROOT, folder);
  const file = path.join(folder, 'cli/bin.cjs');
  return {
    file,
    run: (args, env = {}) => runProgram(file, args, env),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a program to its end. */
export function runProgram(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], ...env },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.once('close', (exitCode) =>
      resolve({ exitCode, stdout, stderr, ms: performance.now() - start }),
    );
  });
}
