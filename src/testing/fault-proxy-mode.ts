import { choiceOption, durationOption, integerOption } from '../core/validate.js';

/** What the proxy does to the connections that pass through it. */
export type FaultMode =
  /** Forwards everything. */
  | { readonly kind: 'ok' }
  /** Delays every answer, so that one round trip takes `latencyMs` longer. */
  | { readonly kind: 'slow'; readonly latencyMs: number }
  /** Resets what is open and every new connection right after it was accepted. */
  | { readonly kind: 'cut' }
  /** Closes the listener, so that connecting is refused; resets what is open. */
  | { readonly kind: 'refuse' }
  /** Accepts, swallows everything and says nothing: a peer that vanished without a reset. */
  | { readonly kind: 'hang' }
  /** Alternates between `cut` (first) and `ok`, each for `periodMs`. */
  | { readonly kind: 'oscillate'; readonly periodMs: number }
  /** Resets each connection after `bytes` of answers from now on, in the middle of a response. */
  | { readonly kind: 'reset-after'; readonly bytes: number };

const KINDS = ['ok', 'slow', 'cut', 'refuse', 'hang', 'oscillate', 'reset-after'] as const;

/**
 * Returns `mode` if it is complete and within its ranges.
 * @throws OptionError `HALE_OPTION_INVALID` naming the option, the accepted range and the value got.
 */
export function validateMode(mode: FaultMode): FaultMode {
  choiceOption('mode.kind', mode.kind, KINDS);
  if (mode.kind === 'slow') durationOption('mode.latencyMs', mode.latencyMs, 0);
  if (mode.kind === 'oscillate') durationOption('mode.periodMs', mode.periodMs);
  if (mode.kind === 'reset-after') integerOption('mode.bytes', mode.bytes, { min: 0 });
  return mode;
}
