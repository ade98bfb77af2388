import type { Status } from './check.js';
import { OptionError } from './errors.js';
import { type Limit, limitOrNever } from './limit.js';
import { numberOption } from './validate.js';

/** Where a figure starts to warn and to fail. Infinity is never for a figure that is bad when high. */
export interface Limits {
  readonly warn: number;
  readonly fail: number;
}

/** The status of a figure that is bad when high: a limit itself is still good. */
export function statusAbove(value: number, { warn, fail }: Limits): Status {
  if (value > fail) return 'fail';
  return value > warn ? 'warn' : 'pass';
}

/** The status of a figure that is bad when low: a limit itself is still good. */
export function statusBelow(value: number, { warn, fail }: Limits): Status {
  if (value < fail) return 'fail';
  return value < warn ? 'warn' : 'pass';
}

/** The worst of several statuses; `pass` of none. */
export function worstStatus(statuses: readonly Status[]): Status {
  if (statuses.includes('fail')) return 'fail';
  return statuses.includes('warn') ? 'warn' : 'pass';
}

interface Names {
  readonly warn: string;
  readonly fail: string;
}

/**
 * Returns `limits` if both are numbers from `min` (or Infinity, for never) and failing does not begin before warning.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function limitsAbove(names: Names, limits: Limits, min = 0): Limits {
  if (limits.warn !== Infinity) numberOption(names.warn, limits.warn, { min });
  if (limits.fail === Infinity) return limits;
  if (limits.warn === Infinity) numberOption(names.fail, limits.fail, { min });
  else numberOption(names.fail, limits.fail, { min: limits.warn });
  return limits;
}

/**
 * Returns `limits` if failing does not begin before warning; 0 is never.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function limitsBelow(names: Names, limits: Limits): Limits {
  if (limits.warn === 0 || limits.fail <= limits.warn) return limits;
  throw new OptionError(names.fail, `at most ${names.warn} (${limits.warn})`, limits.fail);
}

/**
 * The amounts that two limits of a figure that is bad when high stand for; Infinity is never.
 * @throws OptionError for a limit that cannot be read, or for failing before warning.
 */
export function amountsAbove(
  names: Names,
  limits: { readonly warn: Limit; readonly fail: Limit },
  total: number,
): Limits {
  const amounts = {
    warn: limitOrNever(names.warn, limits.warn, total, Infinity),
    fail: limitOrNever(names.fail, limits.fail, total, Infinity),
  };
  return isComparable(limits) ? limitsAbove(names, amounts) : amounts;
}

/**
 * The same for a figure that is bad when low; 0 is never.
 * @throws OptionError for a limit that cannot be read, or for failing before warning.
 */
export function amountsBelow(
  names: Names,
  limits: { readonly warn: Limit; readonly fail: Limit },
  total: number,
): Limits {
  const amounts = {
    warn: limitOrNever(names.warn, limits.warn, total, 0),
    fail: limitOrNever(names.fail, limits.fail, total, 0),
  };
  return isComparable(limits) ? limitsBelow(names, amounts) : amounts;
}

/** A share and a number compare only once it is known what the share is of. */
function isComparable({ warn, fail }: { readonly warn: Limit; readonly fail: Limit }): boolean {
  return typeof warn === typeof fail;
}
