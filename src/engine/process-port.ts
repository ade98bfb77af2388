/** The parts of `process` that end it, so that tests can play them. */
export interface ProcessPort {
  on(event: ProcessEvent, listener: ProcessListener): void;
  off(event: ProcessEvent, listener: ProcessListener): void;
  listenerCount(event: ProcessEvent): number;
  exit(code: number): void;
}

export type ProcessEvent =
  | 'SIGTERM'
  | 'SIGINT'
  | 'beforeExit'
  | 'exit'
  | 'uncaughtException'
  | 'unhandledRejection';

export type ProcessListener = (...args: unknown[]) => void;

/** The process itself. */
export const systemProcess: ProcessPort = {
  on: (event, listener) => void process.on(event as 'SIGTERM', listener),
  off: (event, listener) => void process.off(event as 'SIGTERM', listener),
  listenerCount: (event) => process.listenerCount(event),
  exit: (code) => process.exit(code),
};

/** Its environment variables; none where there is no process. */
export function processEnv(): NodeJS.ProcessEnv {
  return partOfProcess().env ?? {};
}

/** Whether there is a process with a number; runtimes at the edge have none, or only its environment variables. */
export function hasProcess(): boolean {
  return partOfProcess().pid !== undefined;
}

function partOfProcess(): Partial<NodeJS.Process> {
  return (globalThis.process as NodeJS.Process | undefined) ?? {};
}
