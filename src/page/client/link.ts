import { duration } from '../text.js';
import type { LinkState } from './stream.js';

/** Shows whether what is seen is live and, if not, how old it is. */
export interface Link {
  set(state: LinkState): void;
  /** A report has arrived. */
  received(): void;
  tick(): void;
}

/** Silence longer than this is told: reports come about once a second. */
const SILENT_MS = 4_000;

/** Creates the display in the header. */
export function createLink(): Link {
  let state: LinkState = 'connecting';
  let receivedAt = performance.now();
  const show = (): void => {
    const element = document.getElementById('link');
    if (element === null) return;
    const silentMs = performance.now() - receivedAt;
    const shown = state === 'live' && silentMs > SILENT_MS ? 'silent' : state;
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
      receivedAt = performance.now();
      show();
    },
    tick: show,
  };
}

function textOf(state: LinkState | 'silent', silentMs: number): string {
  const age = `data is ${duration(Math.floor(silentMs / 1_000) * 1_000)} old`;
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
