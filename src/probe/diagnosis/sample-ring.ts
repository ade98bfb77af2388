import type { ProcessSample } from '../../core/diagnosis.js';
import { isoTime } from '../../core/iso-time.js';

/** Samples that are kept: two minutes of one a second. */
export const SERIES_LENGTH = 120;

/** One look at the process. */
export interface Sample {
  readonly wallAt: number;
  readonly rssBytes: number;
  readonly inFlight: number;
  readonly loopDelayMs: number;
  readonly heapUsedBytes: number | undefined;
  readonly utilisation: number | undefined;
}

/** The last samples. */
export interface SampleRing {
  add(sample: Sample): void;
  /** Oldest first. */
  series(): readonly ProcessSample[];
}

/** Creates an empty ring. */
export function createSampleRing(length = SERIES_LENGTH): SampleRing {
  const samples: ProcessSample[] = [];
  return {
    add({ wallAt, rssBytes, inFlight, loopDelayMs, heapUsedBytes, utilisation }) {
      samples.push({
        at: isoTime(wallAt),
        rssBytes,
        inFlight,
        loopDelayMs,
        ...(heapUsedBytes === undefined ? {} : { heapUsedBytes }),
        ...(utilisation === undefined ? {} : { utilisation }),
      });
      if (samples.length > length) samples.shift();
    },
    series: () => samples,
  };
}
