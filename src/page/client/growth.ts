import { grownDuration } from '../text.js';

/** Lets durations that go on grow between two reports. */
export interface Growth {
  /** Durations on the page are those of now. */
  restart(): void;
  tick(): void;
}

/** Creates it; the page as it was delivered is taken as of now. */
export function createGrowth(): Growth {
  let from = performance.now();
  return {
    restart() {
      from = performance.now();
    },
    tick() {
      const passedMs = performance.now() - from;
      for (const element of document.querySelectorAll<HTMLElement>('[data-grows]')) {
        const text = grownDuration(Number(element.dataset['grows']) + passedMs);
        if (element.textContent !== text) element.textContent = text;
      }
    },
  };
}
