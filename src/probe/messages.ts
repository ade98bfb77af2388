import type { MetricReading } from '../core/metric-readings.js';
import type { BoundAddress, StallEnd, StallReport } from '../core/probe-host.js';
import type { ProbeOptions } from '../core/probe-options.js';
import type { ProbeState, ProbeUpdate } from '../core/probe-state.js';
import type { MainSample } from './diagnosis/main-sampler.js';
import type { ListenFailure } from './listen-error.js';

/** What the probe thread starts with. */
export interface ThreadData {
  readonly options: ProbeOptions;
  readonly board: SharedArrayBuffer;
  /** Everything published before the thread was there. */
  readonly state: ProbeState;
  /** Further keys whose values are redacted from what the thread logs. */
  readonly redactKeys: readonly string[];
  /** Whether the main thread lets an inspector session in; where it does not, asking ends the process. */
  readonly inspectable: boolean;
}

/** From the main thread to the probe thread. */
export type ToThread =
  | { readonly type: 'update'; readonly update: ProbeUpdate }
  | { readonly type: 'evaluated'; readonly id: number }
  | { readonly type: 'metrics'; readonly id: number }
  | { readonly type: 'sampled'; readonly id: number; readonly sample: MainSample }
  | { readonly type: 'close' };

/** From the probe thread to the main thread. */
export type FromThread =
  | { readonly type: 'listening'; readonly addresses: readonly BoundAddress[] }
  | { readonly type: 'listen-failed'; readonly failure: ListenFailure }
  | { readonly type: 'evaluate'; readonly id: number }
  | { readonly type: 'sample'; readonly id: number }
  | { readonly type: 'metrics'; readonly id: number; readonly readings: readonly MetricReading[] }
  | { readonly type: 'stall'; readonly report: StallReport }
  | { readonly type: 'stall-end'; readonly end: StallEnd }
  | { readonly type: 'liveness-failed'; readonly reason: string }
  | { readonly type: 'notify'; readonly message: string }
  | { readonly type: 'error'; readonly message: string }
  | { readonly type: 'closed' };
