import { OptionError, describe } from './errors.js';

/**
 * A client, or a function that gives the present one: for a client that is made only once its server is there, or made
 * anew after it has lost its server for good. It gives undefined while there is none.
 */
export type ClientSource<C extends object> = C | (() => C | null | undefined);

/** How to recognise a client. */
export interface ClientKind<C extends object> {
  /** The option's full path. */
  readonly option: string;
  /** What is accepted, such as `a NatsConnection`. */
  readonly accepted: string;
  isClient(value: C): boolean;
}

/**
 * Makes a function that gives the present client, or undefined while there is none; what is no client throws an Error.
 * @throws OptionError (`HALE_OPTION_INVALID`) for a source that is neither a client nor a function
 */
export function currentClient<C extends object>(
  source: ClientSource<C>,
  { option, accepted, isClient }: ClientKind<C>,
): () => C | undefined {
  if (typeof source !== 'function') {
    if (source && isClient(source)) return () => source;
    throw new OptionError(option, `${accepted}, or a function that gives one`, source);
  }
  return () => {
    const client = source();
    if (client === null || client === undefined) return undefined;
    if (isClient(client)) return client;
    throw new Error(`${option} must give ${accepted}, gave ${describe(client)}`);
  };
}
