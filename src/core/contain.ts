/**
 * Calls into code that is not hale's and contains what it throws, or rejects with when it is asynchronous: neither
 * reaches the caller, nor the process as an unhandled rejection.
 */
export function contain(call: () => unknown, onError: (error: unknown) => void): void {
  try {
    const returned = call();
    if (isThenable(returned)) returned.then(undefined, onError);
  } catch (error) {
    onError(error);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
