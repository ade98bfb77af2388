/** What the process can tell of where it runs; a field that could not be read is absent. */
export interface EnvironmentFacts {
  readonly pid: number;
  /** The parent and its parent, nearest first. */
  readonly ancestors: readonly Ancestor[];
  /** The package script it was started from (`npm_lifecycle_event`). */
  readonly packageScript?: string;
  /** CPUs the cgroup allows, as a fraction. */
  readonly cpuLimit?: number;
  readonly memoryLimitBytes?: number;
  /** The limit of V8's old generation. */
  readonly heapLimitBytes?: number;
  readonly containerId?: string;
  readonly orchestrator?: Orchestrator;
  readonly gracePeriodMs?: number;
  readonly shutdownDeadlineMs: number;
  readonly handlesSignals: boolean;
}

export interface Ancestor {
  readonly pid: number;
  /** Its command line, arguments separated by spaces. */
  readonly command: string;
}

/** What the downward API or the platform tells through variables. */
export interface Orchestrator {
  readonly pod?: string;
  readonly namespace?: string;
  readonly node?: string;
}

export type FindingCode =
  | 'pid_1_without_init'
  | 'package_manager_swallows_signals'
  | 'grace_period_too_short'
  | 'heap_above_memory_limit';

/** Something about the environment that will hurt, and what to do. */
export interface Finding {
  readonly code: FindingCode;
  readonly text: string;
}

/** Room for the exit itself and for the orchestrator's own delay. */
const EXIT_ROOM_MS = 1000;

/** What is wrong with where the process runs. */
export function findings(facts: EnvironmentFacts): readonly Finding[] {
  return [signalFinding(facts), graceFinding(facts), heapFinding(facts)].filter(
    (finding) => finding !== undefined,
  );
}

/** The facts worth a line of text, for the diagnostic endpoint and the log. */
export function factNotes(facts: EnvironmentFacts): readonly string[] {
  const { cpuLimit, memoryLimitBytes, containerId, orchestrator = {} } = facts;
  const { pod, namespace, node } = orchestrator;
  const place = namespace === undefined || pod === undefined ? pod : `${namespace}/${pod}`;
  return [
    cpuLimit === undefined ? undefined : `CPU limit ${cpuLimit}`,
    memoryLimitBytes === undefined ? undefined : `memory limit ${mebibytes(memoryLimitBytes)}`,
    containerId === undefined ? undefined : `container ${containerId.slice(0, 12)}`,
    place === undefined ? undefined : `pod ${place}`,
    node === undefined ? undefined : `node ${node}`,
  ].filter((note) => note !== undefined);
}

const MANAGER = /(?:^|[\s/])(npm|npx|pnpm|yarn)(?:-cli)?(?:\.c?js)?(?:\s|$)/;
const SHELL = /^(?:\S*\/)?(?:sh|bash|dash|ash|zsh)(?:\s|$)/;

/**
 * A shell in between never passes a signal on. Without one npm and pnpm pass it; yarn 1 ends by itself and leaves
 * the process behind (case 13).
 */
function signalFinding(facts: EnvironmentFacts): Finding | undefined {
  const { pid, ancestors, packageScript = 'start' } = facts;
  const [parent, grandparent] = ancestors;
  const throughShell = parent !== undefined && SHELL.test(parent.command);
  const launcher = throughShell ? grandparent : parent;
  const manager = launcher === undefined ? undefined : MANAGER.exec(launcher.command)?.[1];
  if (manager !== undefined && (throughShell || manager === 'yarn')) {
    return {
      code: 'package_manager_swallows_signals',
      text:
        `started by "${manager} run ${packageScript}", which does not pass SIGTERM on: the process is killed ` +
        `without a drain. Start the script's command with "exec", or make node the command of the container`,
    };
  }
  if (pid !== 1) return undefined;
  const consequence = facts.handlesSignals
    ? 'zombies of child processes are never reaped'
    : 'SIGTERM is ignored unless the program handles it, and zombies are never reaped';
  return {
    code: 'pid_1_without_init',
    text: `node is process 1 without an init: ${consequence}. Run it under one (docker run --init, tini, dumb-init)`,
  };
}

function graceFinding({
  gracePeriodMs,
  shutdownDeadlineMs,
}: EnvironmentFacts): Finding | undefined {
  if (gracePeriodMs === undefined || shutdownDeadlineMs + EXIT_ROOM_MS <= gracePeriodMs)
    return undefined;
  const fitting = Math.max(0, gracePeriodMs - EXIT_ROOM_MS);
  return {
    code: 'grace_period_too_short',
    text:
      `the platform kills after ${gracePeriodMs} ms, and the drain may take ${shutdownDeadlineMs} ms: set ` +
      `shutdown.deadlineMs to ${fitting} or less, or the grace period to ${shutdownDeadlineMs + EXIT_ROOM_MS} or more`,
  };
}

function heapFinding({ memoryLimitBytes, heapLimitBytes }: EnvironmentFacts): Finding | undefined {
  if (memoryLimitBytes === undefined || heapLimitBytes === undefined) return undefined;
  if (heapLimitBytes <= memoryLimitBytes) return undefined;
  const fitting = Math.floor((memoryLimitBytes * 0.75) / MEBIBYTE);
  return {
    code: 'heap_above_memory_limit',
    text:
      `the heap may grow to ${mebibytes(heapLimitBytes)}, beyond the memory limit of ` +
      `${mebibytes(memoryLimitBytes)}: the kernel kills first. Start node with --max-old-space-size=${fitting}`,
  };
}

const MEBIBYTE = 1024 * 1024;

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}
