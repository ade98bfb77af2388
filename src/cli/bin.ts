#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { systemClock } from '../engine/system-clock.js';
import { probeCommand } from './probe/command.js';

const USAGE = `usage: hale <command>, one of

  hale probe   asks a probe once; for exec probes and health checks of containers
  hale status  shows the health of one process
  hale fleet   shows the instances that keep a lease

hale <command> --help tells more.
`;

const [command, ...args] = process.argv.slice(2);
void run().then((exitCode) => {
  // Not waited for: a name look-up that has timed out would hold the process for many seconds more.
  process.exit(exitCode);
});

async function run(): Promise<number> {
  // An orchestrator starts it every few seconds: what the others need is loaded only for them.
  if (command === 'probe') return tell(await probeCommand(args, process.env, systemClock));
  if (command === 'status') {
    const { statusCommand } = await import('./status/command.js');
    const { systemTerminal } = await import('./terminal.js');
    return statusCommand(args, process.env, systemClock, systemTerminal());
  }
  if (command === 'fleet') {
    const { fleetCommand } = await import('./fleet/command.js');
    const { systemTerminal } = await import('./terminal.js');
    return fleetCommand(args, process.env, systemClock, systemTerminal());
  }
  if (command === '--help' || command === '-h')
    return tell({ exitCode: 0, stdout: USAGE, stderr: '' });
  const problem = command === undefined ? '' : `hale: unknown command "${command}"\n`;
  return tell({ exitCode: 2, stdout: '', stderr: problem + USAGE });
}

interface Told {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

function tell({ exitCode, stdout, stderr }: Told): number {
  // Written at once: process.stdout takes longer to load than the probe takes.
  write(1, stdout);
  write(2, stderr);
  return exitCode;
}

function write(descriptor: number, text: string): void {
  if (text === '') return;
  try {
    writeSync(descriptor, text);
  } catch {
    // Nobody reads it; the exit code still tells.
  }
}
