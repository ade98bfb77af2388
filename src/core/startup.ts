import type { StartupView } from './probe-state.js';

/** Initialisation as a set of named tasks with a finite budget. */
export interface Startup {
  readonly beganAt: number;
  /** Task name → whether it is done. */
  readonly tasks: ReadonlyMap<string, boolean>;
  readonly completedAt?: number;
  readonly timedOut: boolean;
}

export type StartupEvent =
  | { readonly kind: 'task_added'; readonly task: string }
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
    case 'task_added':
      return { ...startup, tasks: new Map(startup.tasks).set(event.task, false) };
    case 'task_done':
      return afterTask(startup, event.task, now);
    case 'declared':
      return { ...startup, completedAt: now };
    case 'budget_spent':
      return { ...startup, timedOut: true };
  }
}

function afterTask(startup: Startup, task: string, now: number): Startup {
  if (!startup.tasks.has(task)) return startup;
  const tasks = new Map(startup.tasks).set(task, true);
  const left = [...tasks.values()].includes(false);
  return left ? { ...startup, tasks } : { ...startup, tasks, completedAt: now };
}

/** What the probes tell of start-up (S2, S6). */
export function startupView(startup: Startup): StartupView {
  const { tasks, completedAt, timedOut, beganAt } = startup;
  const complete = completedAt !== undefined;
  const remaining = complete ? [] : [...tasks].filter(([, done]) => !done).map(([task]) => task);
  return {
    complete,
    timedOut: timedOut && !complete,
    total: tasks.size,
    remaining,
    ...(complete ? { durationMs: completedAt - beganAt } : {}),
  };
}
