import { contain } from '../../core/contain.js';
import type { Diagnosis } from '../../core/diagnosis.js';
import type { StallReport } from '../../core/probe-host.js';
import type { ProbeUpdate } from '../../core/probe-state.js';
import type { ModelHooks, ProbeModel } from '../probe-model.js';
import type { DiagnosticianOptions, Diagnostician } from './diagnosis.js';
import type { DocumentOptions } from './document.js';
import type { EventStreams } from './event-streams.js';

/** A diagnosis that is there only once a listener for it is opened. Nothing here throws. */
export interface LateDiagnosis {
  /** Absent before it is opened. */
  readonly streams: EventStreams | undefined;
  /** Loads it, with what has been published so far; never rejects. */
  open(model: ProbeModel): Promise<void>;
  /** The hooks of the model, so that it hears of stalls too. */
  hearing(hooks: ModelHooks): ModelHooks;
  apply(update: ProbeUpdate): void;
  look(): void;
  explainStall(report: StallReport): void;
  /** The document, once what takes a moment is known; undefined where there is none. Never rejects. */
  document(options: DocumentOptions): Promise<Diagnosis | undefined>;
  close(): void;
}

export interface LateDiagnosisOptions extends Omit<
  DiagnosticianOptions,
  'model' | 'sampleMain' | 'redact'
> {
  /** Absent where there is no listener for it. */
  readonly diagnose?: Pick<DiagnosticianOptions, 'sampleMain' | 'redact'> | undefined;
}

/** Creates it unopened. */
export function createLateDiagnosis(options: LateDiagnosisOptions): LateDiagnosis {
  const { diagnose, onError } = options;
  let opened: Diagnostician | undefined;
  // Probes are answered whatever becomes of it.
  const safely = (action: (one: Diagnostician) => void): void => {
    const one = opened;
    if (one !== undefined) contain(() => action(one), onError);
  };
  return {
    get streams() {
      return opened?.streams;
    },
    async open(model) {
      if (diagnose === undefined || options.options.diagnostic === false) return;
      try {
        const { createDiagnostician } = await import('./diagnosis.js');
        opened = createDiagnostician({ ...options, ...diagnose, model });
      } catch (error) {
        onError(error);
      }
    },
    hearing: (hooks) => ({
      ...hooks,
      onStall(blockedForMs) {
        safely((one) => one.stallBegan(blockedForMs));
        hooks.onStall(blockedForMs);
      },
      onStallEnd(blockedForMs) {
        safely((one) => one.stallEnded(blockedForMs));
        hooks.onStallEnd(blockedForMs);
      },
    }),
    apply: (update) => safely((one) => one.apply(update)),
    look: () => safely((one) => one.look()),
    explainStall: (report) => safely((one) => one.stallExplained(report)),
    async document(what) {
      await opened?.refresh();
      if (opened === undefined) return undefined;
      try {
        return await options.pace.finish(opened.document(what));
      } catch (error) {
        onError(error);
        return undefined;
      }
    },
    close: () => safely((one) => one.close()),
  };
}
