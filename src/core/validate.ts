import { OptionError } from './errors.js';

/** The longest timer Node.js can hold: 2^31 − 1 ms; a longer one fires at once. */
export const MAX_DURATION_MS = 2_147_483_647;

interface Range {
  min: number;
  max?: number;
}

/**
 * Returns `value` if it is a finite number within the range.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function numberOption(
  option: string,
  value: unknown,
  { min, max = Infinity }: Range,
): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= min && value <= max)
    return value;
  const upper = max === Infinity ? 'or more' : `to ${max}`;
  throw new OptionError(option, `a number from ${min} ${upper}`, value);
}

/**
 * Returns `value` if it is a finite number above 0.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function positiveOption(option: string, value: unknown, max = Infinity): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0 && value <= max)
    return value;
  const upper = max === Infinity ? '' : ` and up to ${max}`;
  throw new OptionError(option, `a number above 0${upper}`, value);
}

/**
 * Returns `value` if it is an integer within the range.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function integerOption(
  option: string,
  value: unknown,
  { min, max = Infinity }: Range,
): number {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max)
    return value as number;
  const upper = max === Infinity ? 'or more' : `to ${max}`;
  throw new OptionError(option, `a whole number from ${min} ${upper}`, value);
}

/**
 * Returns `value` if it is a duration in milliseconds that a timer can hold.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function durationOption(option: string, value: unknown, min = 1): number {
  return numberOption(option, value, { min, max: MAX_DURATION_MS });
}

/**
 * Returns `value` if it is one of the accepted words.
 * @throws OptionError listing them and the value got.
 */
export function choiceOption<T extends string>(
  option: string,
  value: unknown,
  accepted: readonly T[],
): T {
  if (accepted.includes(value as T)) return value as T;
  throw new OptionError(option, `one of ${accepted.map((word) => `"${word}"`).join(', ')}`, value);
}

/**
 * Returns `value` if it is a function.
 * @throws OptionError naming the option and the value got.
 */
export function functionOption<T>(option: string, value: T): T {
  if (typeof value === 'function') return value;
  throw new OptionError(option, 'a function', value);
}

/**
 * Returns `value` if it is `true` or `false`; a text such as `"false"` is neither.
 * @throws OptionError naming the option and the value got.
 */
export function booleanOption(option: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new OptionError(option, 'true or false', value);
}

/**
 * Returns `value` if it is a text of 1 to 1024 characters.
 * @throws OptionError naming the option and the value got.
 */
export function textOption(option: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= 1024) return value;
  throw new OptionError(option, 'a text of 1 to 1024 characters', value);
}

/**
 * Returns a copy of `value` if it is a list of texts.
 * @throws OptionError naming the option and the value got.
 */
export function textsOption(option: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new OptionError(option, 'a list of texts', value);
  return value.map((text: unknown, index) => textOption(`${option}[${index}]`, text));
}

/**
 * Returns `value` if it is an object with options in it.
 * @throws OptionError naming the option and the value got.
 */
export function objectOption<T extends object>(option: string, value: T): T {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new OptionError(option, 'an object', value);
}

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9])?$/;

/**
 * Returns `value` if it can name a check, guard, group, task or progress: 1 to 64 characters, letters,
 * digits, space, dot, underscore and hyphen. A colon would collide with reason codes and health+json keys.
 * @throws OptionError naming the option and the value got.
 */
export function nameOption(option: string, value: unknown): string {
  if (typeof value === 'string' && NAME.test(value)) return value;
  throw new OptionError(
    option,
    'a name of 1 to 64 letters, digits, spaces, dots, underscores or hyphens, with a letter or digit at both ends',
    value,
  );
}
