import { execFileSync } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import type { ProbeOptions } from '../../../src/core/probe-options.js';
import { systemClock } from '../../../src/engine/system-clock.js';
import { startBeat } from '../../../src/engine/beat.js';
import { createThreadHost } from '../../../src/probe/thread-host.js';

/** Something the test tells this program to do. */
export type Command =
  | { readonly do: 'block'; readonly ms: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'sleep'; readonly seconds: number }
  | { readonly do: 'debug'; readonly ms: number }
  | { readonly do: 'dispose' };

/** Something this program tells the test. */
export type Event = { readonly event: string; readonly [key: string]: unknown };

const tell = (event: Event): void => void process.send?.(event);

function blockTheLoop(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

function obey(command: Command): void {
  switch (command.do) {
    case 'block':
      blockTheLoop(command.ms);
      break;
    case 'wait':
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, command.ms);
      break;
    case 'sleep':
      execFileSync('sleep', [String(command.seconds)]);
      break;
    case 'debug':
      debugFor(command.ms);
      return;
    case 'dispose':
      beat.dispose();
      void host.dispose().then(() => process.disconnect());
      return;
  }
  tell({ event: 'done', command: command.do });
}

/** Holds this thread at a breakpoint as a debugger would, from a thread of its own. */
function debugFor(ms: number): void {
  const source = `
    const { Session } = require('node:inspector');
    const session = new Session();
    session.connectToMainThread();
    const hold = setInterval(() => {}, 1000);
    session.on('Debugger.paused', () => setTimeout(() => {
      session.disconnect();
      clearInterval(hold);
    }, ${ms}));
    session.post('Debugger.enable');
    session.post('Debugger.pause');`;
  new Worker(source, { eval: true, execArgv: [] }).once('exit', () => {
    tell({ event: 'done', command: 'debug' });
  });
}

const host = createThreadHost({
  options: JSON.parse(process.argv[2] ?? '{}') as ProbeOptions,
  clock: systemClock,
  events: {
    async evaluate() {},
    onStall: (report) => tell({ event: 'stall', report }),
    onStallEnd: (end) => tell({ event: 'stall-end', end }),
    onLivenessFailed: (reason) => tell({ event: 'liveness-failed', reason }),
    onError: (error) => tell({ event: 'error', message: String(error) }),
  },
});
const beat = startBeat({ clock: systemClock, board: host.board, beatMs: 100 });
process.on('message', obey);
host.publish({
  state: { startup: { complete: true, timedOut: false, total: 0, remaining: [] } },
});
host.board.setPhase('running');
const keepEvaluated = (): void => {
  host.board.setEvaluatedAt(systemClock.now());
  systemClock.setTimeout(keepEvaluated, 200);
};
keepEvaluated();
try {
  tell({ event: 'listening', addresses: await host.start() });
} catch (error) {
  tell({
    event: 'failed',
    message: (error as Error).message,
    code: (error as { code?: string }).code,
  });
  process.exitCode = 3;
  process.disconnect();
}
