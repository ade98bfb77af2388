/**
 * Keeps this thread busy for `busyShare` of the time in blocks of `blockMs`: 0.9 and 200 block 200 of every 222 ms.
 * @param {{ busyShare: number, blockMs: number }} load
 */
export function keepBusy({ busyShare, blockMs }) {
  if (busyShare <= 0) return;
  const restMs = (blockMs * (1 - busyShare)) / busyShare;
  const turn = () => {
    block(blockMs);
    setTimeout(turn, restMs);
  };
  setTimeout(turn, restMs);
}

/** @param {number} blockMs */
function block(blockMs) {
  const end = performance.now() + blockMs;
  let sum = 0;
  // Reading the clock allocates: spinning in between keeps the garbage collector out of the measurement.
  while (performance.now() < end) {
    for (let spin = 0; spin < 5000; spin += 1) sum = (sum + spin) | 0;
  }
  return sum;
}
