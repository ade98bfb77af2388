import { type Board, createBoard } from '../../core/board.js';
import type { Clock } from '../../core/clock.js';
import { contain } from '../../core/contain.js';
import { isoTime } from '../../core/iso-time.js';
import { readMainThread } from '../native-state.js';
import { prepareEnd } from './end-process.js';
import { prepareLastWords } from './last-words.js';
import { watchDeadline } from './watch-deadline.js';

/** What the thread of the kill switch starts with. */
export interface KillThreadData {
  readonly board: SharedArrayBuffer;
  /**
   * By how much the wall clock is ahead of the main thread's monotonic clock; only where each thread has a monotonic clock
   * with an origin of its own.
   */
  readonly wallAheadMs?: number;
}

/** Watches the deadline of the leases on this thread, which does nothing else, and ends the process when it has passed. */
export function runKillThread(data: KillThreadData, clock: Clock): void {
  const end = prepareEnd();
  const say = prepareLastWords(clock);
  const board = createBoard(data.board);
  const mainClock = clockOfMain(data, clock);
  const lateMs = watchDeadline(board.leaseDeadline, mainClock);
  if (lateMs === undefined) return;
  let words = '';
  // Whatever it is that cannot be said: the process ends.
  contain(
    () => (words = lastWords(board, mainClock, lateMs)),
    () => {},
  );
  say(words, end);
}

function clockOfMain({ wallAheadMs }: KillThreadData, clock: Clock): Clock {
  if (wallAheadMs === undefined) return clock;
  const offsetMs = clock.wallNow() - clock.now() - wallAheadMs;
  return { ...clock, now: () => clock.now() + offsetMs };
}

function lastWords(board: Board, clock: Clock, lateMs: number): string {
  const lease = board.leaseDeadline.lease();
  const beatAt = board.loopBeatAt();
  const line = {
    level: 'error',
    time: isoTime(clock.wallNow()),
    name: 'hale',
    msg: `killing this process: lease "${lease}" is over, and the main loop has not ended it`,
    event: 'lease_deadline_kill',
    lease,
    lateMs: Math.round(lateMs * 10) / 10,
    ...(beatAt === 0 ? {} : { loopStoodStillMs: Math.round(clock.now() - beatAt) }),
    main: readMainThread(process.pid),
  };
  return `${JSON.stringify(line)}\n`;
}
