import type { LeaseContext } from '../core/lease-host.js';
import type { KeeperLog } from './keeper-log.js';

export interface StopWorkOptions {
  readonly name: string;
  readonly policy: 'exit' | 'pause';
  readonly why: 'refused' | 'expired';
  readonly context: LeaseContext;
  /** Monotonic time by which work has stopped, or the process has ended. */
  readonly exitBy: number;
  readonly log: KeeperLog;
  /** The caller's own way to stop work. */
  fence(): unknown;
  /** Work has stopped, and the lease may be asked for again. */
  resume(): void;
}

/**
 * Stops the work of a lost lease. With `exit` the process ends; with `pause` it ends only if work does not stop in time,
 * because work that goes on is worse than a process less.
 */
export function stopWork(options: StopWorkOptions): void {
  const { name, policy, why, context, exitBy } = options;
  const reason = `lease "${name}" lost`;
  const stopped = runFence(options);
  const fenced = stopped.then(() => {});
  if (policy === 'exit') {
    context.exit({ reason, exitBy, drain: why === 'expired', fenced });
    return;
  }
  let settled = false;
  const giveUp = (text: string): void => {
    settled = true;
    context.exit({ reason: `${reason}, ${text}`, exitBy, drain: false, fenced: Promise.resolve() });
  };
  const timer = context.clock.setTimeout(
    () => giveUp('and work did not stop in time'),
    exitBy - context.clock.now(),
    { keepsProcessAlive: true },
  );
  void stopped.then((hasStopped) => {
    if (settled) return;
    timer.clear();
    if (hasStopped) options.resume();
    else giveUp('and work could not be stopped');
  });
}

async function runFence({ fence, log }: StopWorkOptions): Promise<boolean> {
  try {
    await fence();
    return true;
  } catch (error) {
    log.hookFailed('fence', error);
    return false;
  }
}
