import { execFileSync } from 'node:child_process';

/** Keeps the main thread busy in JavaScript; a watchdog's stack names this function. */
export function blockTheLoop(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** How to block in native code. */
export const NATIVE_WAYS = ['wait', 'exec'] as const;
export type NativeWay = (typeof NATIVE_WAYS)[number];

/**
 * Keeps the main thread waiting in the kernel, where JavaScript cannot be interrupted: `wait` on a
 * lock, `exec` for a child process.
 */
export function blockInNativeCode(ms: number, way: NativeWay): void {
  if (way === 'wait') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  else execFileSync('sleep', [String(ms / 1_000)]);
}
