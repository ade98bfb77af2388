/**
 * Settles as `work` does, or rejects as soon as `signal` aborts, whichever comes first; what `work`
 * does later is dropped. Leaves no listener on the signal.
 * @throws whatever `work` rejects with, or what `onAbort` returns when the signal aborts first
 */
export function untilAborted<T>(
  work: PromiseLike<T>,
  signal: AbortSignal,
  onAbort: () => unknown = () => signal.reason,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(onAbort());
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    const detach = () => signal.removeEventListener('abort', abort);
    work.then(
      (value) => {
        detach();
        resolve(value);
      },
      (error: unknown) => {
        detach();
        reject(error);
      },
    );
  });
}
