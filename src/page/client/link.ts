import { grownDuration } from '../text.js';
import type { LinkState } from './stream.js';

/** Shows whether what is seen is live and, if not, how old it is. */
export interface Link {
  set(state: LinkState): void;
  /** A report has arrived. */
  received(): void;
  tick(): void;
}

/** Silence longer than this is told, and than some times the last pause: a large report comes less often than each second. */
const SILENT_MS = 5_000;
const PAUSES = 3;

/** Creates the display in the header. */
export function createLink(): Link {
  let state: LinkState = 'connecting';
  let receivedAt = performance.now();
  let pauseMs = 0;
  const show = (): void => {
    const element = document.getElementById('link');
    if (element === null) return;
    const silentMs = performance.now() - receivedAt;
    const shown =
      state === 'live' && silentMs > Math.max(SILENT_MS, PAUSES * pauseMs) ? 'silent' : state;
    element.dataset['state'] = shown;
    const text = textOf(shown, silentMs);
    if (element.textContent !== text) element.textContent = text;
  };
  return {
    set(next) {
      state = next;
      show();
    },
    received() {
      const now = performance.now();
      // The time of a broken connection is no pause.
      pauseMs = state === 'live' ? Math.min(now - receivedAt, 10_000) : 0;
      receivedAt = now;
      show();
    },
    tick: show,
  };
}

function textOf(state: LinkState | 'silent', silentMs: number): string {
  const age = `data is ${grownDuration(silentMs)} old`;
  switch (state) {
    case 'connecting':
      return 'Connecting';
    case 'live':
      return 'Live';
    case 'silent':
      return `Silent, ${age}`;
    case 'reconnecting':
      return `Reconnecting, ${age}`;
  }
}
