#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { systemClock } from '../engine/system-clock.js';
import { type CommandResult, PROBE_USAGE, probeCommand } from './probe/command.js';

const [command, ...args] = process.argv.slice(2);
void run().then(({ exitCode, stdout, stderr }) => {
  // Written at once: process.stdout takes longer to load than the probe takes.
  write(1, stdout);
  write(2, stderr);
  // Not waited for: a name look-up that has timed out would hold the process for many seconds more.
  process.exit(exitCode);
});

async function run(): Promise<CommandResult> {
  if (command === 'probe') return probeCommand(args, process.env, systemClock);
  if (command === '--help' || command === '-h')
    return { exitCode: 0, stdout: PROBE_USAGE, stderr: '' };
  const problem = command === undefined ? '' : `hale: unknown command "${command}"\n`;
  return { exitCode: 2, stdout: '', stderr: problem + PROBE_USAGE };
}

function write(descriptor: number, text: string): void {
  if (text === '') return;
  try {
    writeSync(descriptor, text);
  } catch {
    // Nobody reads it; the exit code still tells.
  }
}
