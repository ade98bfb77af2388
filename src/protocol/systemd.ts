import type { Decision } from '../core/decision.js';
import type { Phase } from '../core/phase.js';
import type { StartupView } from '../core/probe-state.js';

/** What systemd is told about. */
export interface SystemdView {
  readonly phase: Phase;
  readonly startup: Pick<StartupView, 'complete' | 'timedOut' | 'remaining'>;
  readonly liveness: Decision;
  readonly readiness: Decision;
}

/** Variables of one message (`sd_notify(3)`); each at most once, since systemd reads the first only. */
export type SystemdFields = Readonly<Record<string, string>>;

/** How much longer than its own deadline a process may take to end. */
const EXIT_MARGIN_MS = 5000;
/** Each word while starting buys this much more time; {@link EXTEND_EVERY_MS} is well below it. */
const EXTEND_BY_MS = 30_000;

/** How often systemd is asked for more time while starting. */
export const EXTEND_EVERY_MS = 10_000;

/** A sign of life; sent only while liveness passes. */
export const WATCHDOG_PING: SystemdFields = { WATCHDOG: '1' };

/** Pings per watchdog period: one may come late and another get lost. */
const PINGS_PER_PERIOD = 3;

/** How long to wait between two signs of life. */
export function pingEveryMs(watchdogMs: number): number {
  return watchdogMs / PINGS_PER_PERIOD;
}

/**
 * Everything systemd should know at this moment; what has been told before is for the caller to leave out. `READY=1`
 * follows start-up and not readiness, which may come and go: systemd takes it once.
 */
export function systemdState(view: SystemdView, stopWithinMs: number): SystemdFields {
  const status = { STATUS: statusText(view) };
  if (hasEnded(view.phase)) {
    return {
      STOPPING: '1',
      EXTEND_TIMEOUT_USEC: micros(stopWithinMs + EXIT_MARGIN_MS),
      ...status,
    };
  }
  return view.startup.complete ? { READY: '1', ...status } : status;
}

/** More time for a start-up that is still within its budget; none for one that is not. */
export function extendStartup({ phase, startup }: SystemdView): SystemdFields {
  const isStarting = !startup.complete && !startup.timedOut && !hasEnded(phase);
  return isStarting ? { EXTEND_TIMEOUT_USEC: micros(EXTEND_BY_MS) } : {};
}

/** One message; a line break in a value would begin another variable. */
export function encodeSystemd(fields: SystemdFields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value.replace(/[\r\n]+/g, ' ')}`)
    .join('\n');
}

/** The line `systemctl status` shows. */
function statusText({ phase, startup, liveness, readiness }: SystemdView): string {
  if (phase === 'stopped') return 'stopped';
  if (phase === 'draining') return 'draining';
  if (liveness.status === 'fail') return `wedged: ${liveness.reason}`;
  if (!startup.complete) {
    const left = startup.remaining.length;
    const tasks = left === 0 ? '' : `, ${left} start-up task${left === 1 ? '' : 's'} left`;
    return `${startup.timedOut ? 'not started in time' : 'starting'}${tasks}`;
  }
  if (readiness.status === 'fail') return `not ready: ${readiness.reason}`;
  return readiness.status === 'warn' ? `ready, degraded: ${readiness.reason}` : 'ready';
}

function hasEnded(phase: Phase): boolean {
  return phase === 'draining' || phase === 'stopped';
}

function micros(ms: number): string {
  return String(Math.round(ms * 1000));
}
