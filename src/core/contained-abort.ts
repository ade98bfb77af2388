import { contain } from './contain.js';

type Listener = Parameters<AbortSignal['addEventListener']>[1];

/**
 * Creates a controller whose signal may be handed to code that is not hale's: what its listeners throw, or reject
 * with, goes to `onError`. Left to itself an event target raises it as an uncaught exception, out of reach of whoever
 * aborts. The signals of an `AbortSignal.any` over it are the caller's own.
 */
export function createContainedAbort(onError: (error: unknown) => void): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  const { addEventListener, removeEventListener } = signal;
  const contained = new WeakMap<object, Listener>();
  const containedOf = (listener: Listener): Listener => {
    const known = contained.get(listener) ?? containing(signal, listener, onError);
    contained.set(listener, known);
    return known;
  };
  // On the signal itself: `onabort`, fetch and node:events all add their listeners through it.
  signal.addEventListener = (type: string, listener: Listener | null, options?: object) => {
    if (listener !== null) addEventListener.call(signal, type, containedOf(listener), options);
  };
  signal.removeEventListener = (type: string, listener: Listener | null, options?: object) => {
    if (listener !== null) removeEventListener.call(signal, type, containedOf(listener), options);
  };
  return controller;
}

function containing(
  signal: AbortSignal,
  listener: Listener,
  onError: (error: unknown) => void,
): Listener {
  return (event: Event) =>
    contain(
      (): unknown =>
        typeof listener === 'function'
          ? listener.call(signal, event)
          : listener.handleEvent.call(listener, event),
      onError,
    );
}
