import { OptionError } from './errors.js';

/** A share of what there is (`'90%'`), or an amount. */
export type Limit = `${number}%` | number;

const PERCENT = /^(\d{1,3}(?:\.\d+)?)%$/;

/**
 * The amount a limit stands for.
 * @throws OptionError when it is neither a percentage above 0 and up to 100 nor a positive number.
 */
export function limitAmount(option: string, limit: Limit, total: number): number {
  if (typeof limit === 'number' && Number.isFinite(limit) && limit > 0) return limit;
  const percent = typeof limit === 'string' ? Number(PERCENT.exec(limit)?.[1]) : Number.NaN;
  if (percent > 0 && percent <= 100) return (total * percent) / 100;
  throw new OptionError(
    option,
    'a percentage such as "90%", above 0 and up to 100, or a positive number',
    limit,
  );
}

/**
 * The same, with one number that stands for "never".
 * @throws OptionError when it is neither that number nor an accepted limit.
 */
export function limitOrNever(option: string, limit: Limit, total: number, never: number): number {
  return limit === never ? never : limitAmount(option, limit, total);
}
