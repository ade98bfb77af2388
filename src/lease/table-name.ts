import { OptionError } from '../core/errors.js';

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/**
 * Returns `value` if it can stand in a statement as the name of a table, with or without a schema.
 * @throws OptionError naming the option and the value got.
 */
export function tableOption(option: string, value: unknown): string {
  const parts = typeof value === 'string' ? value.split('.') : [];
  if (parts.length > 0 && parts.length <= 2 && parts.every((part) => NAME.test(part)))
    return String(value);
  throw new OptionError(option, 'a table name of letters, digits and underscores', value);
}
