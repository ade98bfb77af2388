/**
 * Makes calls share the work that is still under way, for work that cannot be cut short: one that hangs then holds one
 * thread of the pool, not one more with every run.
 */
export function createSingleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
