import type { Board } from '../../core/board.js';
import type { Clock } from '../../core/clock.js';
import { contain } from '../../core/contain.js';
import type { Diagnosis } from '../../core/diagnosis.js';
import type { StallReport } from '../../core/probe-host.js';
import type { ProbeOptions } from '../../core/probe-options.js';
import type { ProbeUpdate } from '../../core/probe-state.js';
import { createTimeline } from '../../core/timeline.js';
import type { Pace } from '../pace.js';
import type { ProbeModel } from '../probe-model.js';
import { createAudience } from './audience.js';
import { LOOP, createChangeWatch } from './change-watch.js';
import { createCheckRecords } from './check-records.js';
import { type DocumentOptions, diagnosisSteps } from './document.js';
import { type EventStreams, createEventStreams } from './event-streams.js';
import { createMainReadings } from './main-readings.js';
import type { MainSample } from './main-sampler.js';
import { momentOf } from './moment.js';
import { createProcessReadings } from './process-readings.js';
import { createStallRecord } from './stall-record.js';

/** What the diagnosis needs of whoever answers probes. */
export interface DiagnoseOptions {
  /** Asks the main loop to read itself. */
  readonly sampleMain: () => Promise<MainSample>;
  readonly redact: (text: string) => string;
}

export interface DiagnosticianOptions extends DiagnoseOptions {
  readonly model: ProbeModel;
  readonly board: Board;
  readonly clock: Clock;
  readonly options: ProbeOptions;
  readonly watchesLoop: boolean;
  /** Makes the documents of the streams. */
  readonly pace: Pace;
  readonly onError: (error: unknown) => void;
}

/** Remembers what happens and makes the document of the diagnostic page from it (E4). */
export interface Diagnostician {
  readonly streams: EventStreams;
  /** Takes an update, after the model has. */
  apply(update: ProbeUpdate): void;
  /** Notices what only time changes; called regularly. */
  look(): void;
  stallBegan(blockedForMs: number): void;
  stallExplained(report: StallReport): void;
  stallEnded(blockedForMs: number): void;
  /** Somebody looks: resolves once the main loop has told of itself, or after a moment. Never rejects. */
  refresh(): Promise<void>;
  /** Makes the document of the moment at which it is asked for. */
  document(options?: DocumentOptions): Generator<undefined, Diagnosis, undefined>;
  close(): void;
}

/** Creates it with what has been published so far. */
export function createDiagnostician(options: DiagnosticianOptions): Diagnostician {
  const { model, board, clock, redact } = options;
  const timeline = createTimeline();
  const stall = createStallRecord(redact);
  const records = createCheckRecords((entry) => timeline.add(entry));
  const changes = createChangeWatch({ model, board, add: (entry) => timeline.add(entry) });
  const main = createMainReadings({ ...options, sample: options.sampleMain });
  const readings = createProcessReadings({
    ...options,
    main,
    beatMs: options.options.beatMs,
    loopStalled: () => model.loopStalled(),
  });
  const sample = (): void => {
    main.ask();
    readings.sample(momentOf(clock));
  };
  const audience = createAudience({
    clock,
    // From a timer: an error there would end the thread.
    work: () => contain(sample, options.onError),
  });
  let leasesAt = clock.now();

  function look(): void {
    const moment = momentOf(clock);
    records.look(model.state(), moment);
    changes.look(moment);
  }

  function document(what?: DocumentOptions): Generator<undefined, Diagnosis, undefined> {
    look();
    const source = {
      ...options,
      records,
      readings,
      stall,
      timeline: () => timeline.newestFirst(),
      probeSince: changes.probeSince,
      leasesAt: () => leasesAt,
    };
    return diagnosisSteps(source, momentOf(clock), what);
  }

  const streams = createEventStreams({ ...options, audience, document });
  records.apply({ checks: [...model.state().checks.values()] }, momentOf(clock));
  look();
  return {
    streams,
    look,
    document,
    apply(update) {
      if (update.state?.leases !== undefined) leasesAt = clock.now();
      const changed = records.apply(update, momentOf(clock));
      // A run that changes nothing is all that most updates tell, and no probe says anything else for it.
      if (changed || update.checks === undefined || update.state !== undefined) look();
    },
    stallBegan(blockedForMs) {
      const moment = momentOf(clock);
      stall.begin(blockedForMs, moment);
      changes.stall(moment);
    },
    stallExplained(report) {
      stall.explain(report);
      const { text } = stall.now(momentOf(clock)) ?? {};
      if (text !== undefined) timeline.explain('stall', LOOP, text);
    },
    stallEnded(blockedForMs) {
      stall.end(blockedForMs);
      changes.stallEnd(blockedForMs, momentOf(clock));
    },
    async refresh() {
      audience.seen();
      if (!model.loopStalled()) await main.fresh();
    },
    close() {
      audience.close();
      streams.close();
    },
  };
}
