import type { StartupView } from './probe-state.js';

/** Initialisation as a set of named tasks with a finite budget. */
export interface Startup {
  readonly beganAt: number;
  readonly tasks: ReadonlyMap<string, StartupTaskState>;
  readonly completedAt?: number;
  readonly timedOut: boolean;
}

export interface StartupTaskState {
  /** Its share of the whole, relative to the other tasks. */
  readonly weight: number;
  /** 0 to 1; 1 only once it is done. */
  readonly progress: number;
  readonly done: boolean;
}

export type StartupEvent =
  | { readonly kind: 'task_added'; readonly task: string; readonly weight?: number }
  | { readonly kind: 'task_progress'; readonly task: string; readonly progress: number }
  | { readonly kind: 'task_done'; readonly task: string }
  /** The program says that it has started, whatever tasks are left. */
  | { readonly kind: 'declared' }
  | { readonly kind: 'budget_spent' };

export function beginStartup(now: number): Startup {
  return { beganAt: now, tasks: new Map(), timedOut: false };
}

/** The state after an event. Once complete it never reverts (S1), so every later event is without effect. */
export function nextStartup(startup: Startup, event: StartupEvent, now: number): Startup {
  if (startup.completedAt !== undefined) return startup;
  switch (event.kind) {
    case 'task_added': {
      const { task, weight = 1 } = event;
      const added: StartupTaskState = { weight, progress: 0, done: false };
      return { ...startup, tasks: new Map(startup.tasks).set(task, added) };
    }
    case 'task_progress':
      return afterProgress(startup, event.task, event.progress);
    case 'task_done':
      return afterTask(startup, event.task, now);
    case 'declared':
      return { ...startup, completedAt: now };
    case 'budget_spent':
      return { ...startup, timedOut: true };
  }
}

/** Progress only grows: a task that starts over has not undone what others wait for. */
function afterProgress(startup: Startup, task: string, progress: number): Startup {
  const known = startup.tasks.get(task);
  if (known === undefined || known.done || progress <= known.progress) return startup;
  return { ...startup, tasks: new Map(startup.tasks).set(task, { ...known, progress }) };
}

function afterTask(startup: Startup, task: string, now: number): Startup {
  const known = startup.tasks.get(task);
  if (known === undefined) return startup;
  const tasks = new Map(startup.tasks).set(task, { ...known, progress: 1, done: true });
  const left = [...tasks.values()].some(({ done }) => !done);
  return left ? { ...startup, tasks } : { ...startup, tasks, completedAt: now };
}

/** What the probes tell of start-up (S2, S6). */
export function startupView(startup: Startup): StartupView {
  const { tasks, completedAt, timedOut, beganAt } = startup;
  const complete = completedAt !== undefined;
  const remaining = complete
    ? []
    : [...tasks].filter(([, { done }]) => !done).map(([task]) => task);
  return {
    complete,
    timedOut: timedOut && !complete,
    total: tasks.size,
    remaining,
    percent: complete ? 100 : percentDone(tasks),
    ...(complete ? { durationMs: completedAt - beganAt } : {}),
  };
}

/** What is missing and how far it is, for people: `price list (40 %)`. */
export function unfinishedTasks({ tasks }: Startup): readonly string[] {
  return [...tasks]
    .filter(([, { done }]) => !done)
    .map(([task, { progress }]) => `${task} (${Math.floor(progress * 100)} %)`);
}

/** Rounded down, so that 100 means complete. */
function percentDone(tasks: Startup['tasks']): number {
  let done = 0;
  let whole = 0;
  for (const { weight, progress } of tasks.values()) {
    done += weight * progress;
    whole += weight;
  }
  return whole === 0 ? 0 : Math.min(99, Math.floor((100 * done) / whole));
}
