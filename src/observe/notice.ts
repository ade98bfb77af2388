/** What somebody outside has been told of one subject, and how it is now. Times are monotonic milliseconds. */
export interface NoticeState {
  readonly told: 'good' | 'bad';
  readonly current: 'good' | 'bad';
  /** When it last turned bad. */
  readonly badSince: number;
  /** When a problem was last told; `undefined` before the first. */
  readonly toldAt: number | undefined;
  /** Problems that were not told since the last one that was. */
  readonly suppressed: number;
}

export interface NoticeStep {
  readonly state: NoticeState;
  readonly tell?: Notice;
  /** When to look again, for a problem that is held back and may last. */
  readonly lookAt?: number;
}

/** What to tell. */
export type Notice =
  | { readonly kind: 'problem'; readonly suppressed: number }
  | { readonly kind: 'recovery'; readonly lastedMs: number };

/** A subject of which nothing was ever told is good. */
export const quietNotice: NoticeState = {
  told: 'good',
  current: 'good',
  badSince: 0,
  toldAt: undefined,
  suppressed: 0,
};

/**
 * The next step after a change, or at `lookAt`. Of one subject a problem is told at most once per `throttleMs`; one that
 * outlasts the throttle is told then. A recovery follows each problem that was told, and no other.
 */
export function nextNotice(
  before: NoticeState,
  {
    bad,
    now,
    throttleMs,
  }: { readonly bad: boolean; readonly now: number; readonly throttleMs: number },
): NoticeStep {
  const turned = bad && before.current === 'good';
  const current = bad ? 'bad' : 'good';
  const state = { ...before, current, badSince: turned ? now : before.badSince } as const;
  if (!bad) return before.told === 'bad' ? recovered(state, now) : { state };
  if (before.told === 'bad') return { state };
  const freeAt = before.toldAt === undefined ? now : before.toldAt + throttleMs;
  if (now < freeAt)
    return {
      state: turned ? { ...state, suppressed: state.suppressed + 1 } : state,
      lookAt: freeAt,
    };
  // The one that is told now is not among those that were not.
  const suppressed = turned ? state.suppressed : Math.max(0, state.suppressed - 1);
  return {
    state: { ...state, told: 'bad', toldAt: now, suppressed: 0 },
    tell: { kind: 'problem', suppressed },
  };
}

function recovered(state: NoticeState, now: number): NoticeStep {
  return {
    state: { ...state, told: 'good' },
    tell: { kind: 'recovery', lastedMs: now - state.badSince },
  };
}
