import type { Impact } from '../core/check.js';
import type { Clock, Timer } from '../core/clock.js';
import { contain } from '../core/contain.js';
import { reasonCode, type Reason } from '../core/reason.js';
import { type NoticeState, nextNotice, quietNotice } from './notice.js';
import type { Notification, NotificationFormat } from './notification.js';
import type { WebhookQueue } from './webhook-queue.js';

/** A change as `health.onChange()` tells it, as far as it is looked at. */
export type NoticedChange =
  | {
      readonly kind: 'readiness';
      readonly to: { readonly status: string; readonly reason: Reason };
      readonly at: number;
    }
  | {
      readonly kind: 'check';
      readonly check: string;
      readonly impact: Impact;
      readonly to: string;
      readonly at: number;
      readonly outcome: { readonly code?: string; readonly output?: string };
    }
  | { readonly kind: 'drain' };

/** The part of a `Health` that is used. */
export interface NoticedHealth {
  onChange(listener: (change: NoticedChange) => void): () => void;
  onShutdown(name: string, hook: (signal: AbortSignal) => Promise<void>): () => void;
}

export interface NotifierOptions {
  readonly health: NoticedHealth;
  readonly clock: Clock;
  readonly queue: WebhookQueue;
  readonly format: NotificationFormat;
  readonly throttleMs: number;
  readonly impacts: readonly Impact[];
  readonly service: string | undefined;
  /** What the caller's own format throws. */
  onError(error: unknown): void;
}

/** Tells of changes until it is disposed or the process ends. */
export interface Notifier {
  /** Notifications that have not been taken yet. */
  readonly pending: number;
  /** Ends it; what is pending is lost. Idempotent. */
  dispose(): void;
}

type Told = Omit<Notification, 'kind' | 'suppressed' | 'lastedMs' | 'service'>;

interface Subject {
  state: NoticeState;
  told: Told;
  timer: Timer | undefined;
}

/** What somebody wanted, or what only has to begin, is no problem. */
const INTENDED: readonly string[] = [
  'starting',
  'check_pending',
  'maintenance',
  'draining',
  'stopped',
];

/** Creates a notifier and begins to listen. */
export function createNotifier(options: NotifierOptions): Notifier {
  const { health, clock, queue, throttleMs } = options;
  const subjects = new Map<string, Subject>();
  let wasReady = false;

  function look(subject: Subject): void {
    const bad = subject.told.status === 'fail';
    const step = nextNotice(subject.state, { bad, now: clock.now(), throttleMs });
    subject.state = step.state;
    subject.timer?.clear();
    if (step.lookAt !== undefined)
      subject.timer = clock.setTimeout(() => look(subject), step.lookAt - clock.now());
    if (step.tell !== undefined) send(options, { ...subject.told, suppressed: 0, ...step.tell });
  }

  const offs = [
    health.onChange((change) => {
      const told = toldOf(change, options.impacts, wasReady);
      wasReady ||= told?.subject === 'readiness' && told.status !== 'fail';
      if (told === undefined) return;
      const key = told.check === undefined ? told.subject : `check ${told.check}`;
      const subject = subjects.get(key) ?? { state: quietNotice, told, timer: undefined };
      subjects.set(key, subject);
      subject.told = told;
      look(subject);
    }),
    health.onShutdown('notifications', (signal) => queue.flush(signal)),
  ];
  return {
    get pending() {
      return queue.pending;
    },
    dispose() {
      for (const off of offs.splice(0)) off();
      for (const { timer } of subjects.values()) timer?.clear();
      queue.dispose();
    },
  };
}

function toldOf(
  change: NoticedChange,
  impacts: readonly Impact[],
  wasReady: boolean,
): Told | undefined {
  if (change.kind === 'readiness') {
    const { status, reason } = change.to;
    const code = reasonCode(reason);
    // Whoever has had no lease yet waits for its first one, as a standby does for hours.
    if (INTENDED.includes(code) || (code === 'lease_lost' && !wasReady)) return undefined;
    return { subject: 'readiness', status, reason, at: change.at };
  }
  if (change.kind !== 'check' || !impacts.includes(change.impact)) return undefined;
  if (change.to === 'unknown') return undefined;
  const { code, output } = change.outcome;
  return {
    subject: 'check',
    check: change.check,
    status: change.to,
    at: change.at,
    ...(code === undefined ? {} : { reason: code }),
    ...(output === undefined ? {} : { output }),
  };
}

function send(
  { queue, format, service, onError }: NotifierOptions,
  notification: Notification,
): void {
  const named = service === undefined ? notification : { service, ...notification };
  contain(() => queue.push(JSON.stringify(format(named))), onError);
}
