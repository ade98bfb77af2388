import { statfs } from 'node:fs/promises';
import { untilAborted } from '../core/abort.js';
import type { Check, CheckOptions, CheckResult, Status } from '../core/check.js';
import type { Limit } from '../core/limit.js';
import { amountsBelow, statusBelow, worstStatus } from '../core/limits.js';
import { createSingleFlight } from '../core/single-flight.js';
import { textOption } from '../core/validate.js';

/** Options of {@link diskSpace}. Each limit is a share (`'10%'`) or an amount; 0 is never. */
export interface DiskSpaceOptions extends CheckOptions {
  /** Warns when fewer bytes are free. @defaultValue '10%' */
  warnBelow?: Limit;
  /** Fails when fewer bytes are free. @defaultValue '2%' */
  failBelow?: Limit;
  /** Warns when fewer inodes are free. @defaultValue '10%' */
  warnInodesBelow?: Limit;
  /** Fails when fewer inodes are free. @defaultValue '2%' */
  failInodesBelow?: Limit;
  /** Replaces `statfs` of node:fs. */
  statfs?: StatfsLike;
}

/** The part of `statfs` of node:fs that {@link diskSpace} uses. */
export type StatfsLike = (path: string) => Promise<{
  readonly bsize: number;
  readonly blocks: number;
  readonly bfree: number;
  readonly bavail: number;
  readonly files: number;
  readonly ffree: number;
}>;

type Limits = Required<
  Pick<DiskSpaceOptions, 'warnBelow' | 'failBelow' | 'warnInodesBelow' | 'failInodesBelow'>
>;

/** What there is of something, and what is left. */
interface Room {
  readonly what: 'bytes' | 'inodes';
  readonly free: number;
  readonly total: number;
}

/**
 * Looks at the free space and the free inodes of the file system that holds a path, as a user without privileges would
 * get them.
 *
 * - pass: there is room for both.
 * - warn: less than `warnBelow` or `warnInodesBelow` is free; code `disk_low` or `inodes_low`.
 * - fail: less than `failBelow` or `failInodesBelow` is free, same codes; the path cannot be looked at; or the file
 *   system did not answer before the timeout, as a lost network one does.
 *
 * Suggested impact: `critical` when the service cannot work without writing there, else `degraded`. Cost: one system
 * call per run, in one thread of the pool, never more than one at a time.
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function diskSpace(path: string, options: DiskSpaceOptions = {}): Check {
  const { warnBelow = '10%', failBelow = '2%', ...rest } = options;
  const { warnInodesBelow = '10%', failInodesBelow = '2%', statfs: given, ...checkOptions } = rest;
  textOption('diskSpace.path', path);
  const limits = { warnBelow, failBelow, warnInodesBelow, failInodesBelow };
  // A bad option is said now instead of with the first run.
  for (const what of ['bytes', 'inodes'] as const) limitsOf(limits, { what, free: 0, total: 1 });
  // A system call cannot be cut short.
  const look = createSingleFlight(() => (given ?? statfs)(path));
  return {
    componentType: 'system',
    measurement: 'freeSpace',
    impact: 'degraded',
    ...checkOptions,
    run: async (signal) => {
      signal.throwIfAborted();
      const noAnswer = () => new Error('the file system does not answer', { cause: signal.reason });
      const { bsize, blocks, bfree, bavail, files, ffree } = await untilAborted(
        look(),
        signal,
        noAnswer,
      );
      // What is kept for root counts neither as free nor as there, as in df(1).
      const total = (blocks - bfree + bavail) * bsize;
      return judge(path, limits, [
        { what: 'bytes', free: bavail * bsize, total },
        { what: 'inodes', free: ffree, total: files },
      ]);
    },
  };
}

function limitsOf(limits: Limits, { what, total }: Room) {
  const [warn, fail] =
    what === 'bytes'
      ? (['warnBelow', 'failBelow'] as const)
      : (['warnInodesBelow', 'failInodesBelow'] as const);
  const names = { warn: `diskSpace.${warn}`, fail: `diskSpace.${fail}` };
  return amountsBelow(names, { warn: limits[warn], fail: limits[fail] }, total);
}

function judge(path: string, limits: Limits, rooms: readonly [Room, Room]): CheckResult {
  const statuses = rooms.map((room) => statusOf(room, limits));
  const status = worstStatus(statuses);
  const observedValue = {
    freeBytes: rooms[0].free,
    totalBytes: rooms[0].total,
    freeInodes: rooms[1].free,
    totalInodes: rooms[1].total,
  };
  if (status === 'pass') return { status, observedValue };
  const { what, free, total } = rooms[statuses.indexOf(status)] ?? rooms[0];
  const code = what === 'bytes' ? 'disk_low' : 'inodes_low';
  const share = total === 0 ? 0 : Math.floor((free / total) * 1000) / 10;
  return { status, code, output: `${path} has ${free} ${what} free, ${share} %`, observedValue };
}

function statusOf(room: Room, limits: Limits): Status {
  // btrfs and some network file systems count no inodes.
  if (room.what === 'inodes' && room.total === 0) return 'pass';
  return statusBelow(room.free, limitsOf(limits, room));
}
