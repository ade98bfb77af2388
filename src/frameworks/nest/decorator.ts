import type { CheckOptions, CheckReturn } from '../../core/check.js';
import { OptionError } from '../../core/errors.js';
import type { IndicatorResult } from './indicator.js';

/** A method that looks at one dependency, as a check does, or that returns what a `HealthIndicator` answers. */
export type CheckMethod = (signal: AbortSignal) => CheckAnswer | PromiseLike<CheckAnswer>;

type CheckAnswer = CheckReturn | IndicatorResult;

/** A decorator of such a method. */
export type CheckDecorator = <T extends CheckMethod>(
  prototype: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<T>,
) => void;

/** A method that was decorated. */
export interface DecoratedCheck {
  readonly name: string;
  readonly method: string | symbol;
  readonly options: CheckOptions;
}

/** Two copies of hale in one process read each other's marks. */
const DECORATED = Symbol.for('hale.nest.checks');

/**
 * Makes a method of a provider, controller or module a check of that name, once `healthModule()` is imported. It is
 * called with an `AbortSignal` and may return what a check may, or the answer of a `HealthIndicator`.
 * @throws OptionError when the class is compiled without `experimentalDecorators`, which Nest needs.
 */
export function HealthCheckOf(name: string, options: CheckOptions = {}): CheckDecorator {
  return (prototype, method) => {
    if (typeof method === 'object')
      throw new OptionError(
        'HealthCheckOf',
        'a method, compiled with experimentalDecorators',
        method,
      );
    const list = [...decoratedChecks(prototype), { name, method, options }];
    Object.defineProperty(prototype, DECORATED, { value: list, configurable: true });
  };
}

/** The decorated methods of an instance or a prototype, inherited ones included. */
export function decoratedChecks(instance: object): readonly DecoratedCheck[] {
  return (instance as { [DECORATED]?: readonly DecoratedCheck[] })[DECORATED] ?? [];
}
