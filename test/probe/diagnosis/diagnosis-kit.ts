import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { type Board, createBoard } from '../../../src/core/board.js';
import type { CheckDiagnosis, Diagnosis, WhyStep } from '../../../src/core/diagnosis.js';
import type {
  CheckView,
  LastOutcome,
  ProbeState,
  ProbeUpdate,
} from '../../../src/core/probe-state.js';
import { createRedactor } from '../../../src/core/redact.js';
import {
  type LateDiagnosis,
  createLateDiagnosis,
} from '../../../src/probe/diagnosis/late-diagnosis.js';
import type { MainSample } from '../../../src/probe/diagnosis/main-sampler.js';
import { type Pace, createPace } from '../../../src/probe/pace.js';
import { type ProbeModel, createProbeModel } from '../../../src/probe/probe-model.js';
import { type ManualClock, createManualClock } from '../../../src/testing/manual-clock.js';
import { checkView, startedState } from '../../core/probe-state-builders.js';
import { probeOptions } from '../../support/probing.js';

/** A diagnosis on an injected clock, of a started service with a stall bound of 1 s. */
export interface DiagnosisKit {
  readonly clock: ManualClock;
  readonly board: Board;
  readonly model: ProbeModel;
  readonly late: LateDiagnosis;
  readonly pace: Pace;
  readonly errors: unknown[];
  /** How often the main loop was asked for its readings. */
  asked: number;
  /** What it answers; `undefined` is no answer. */
  sample: MainSample | undefined;
  sampleFails: boolean;
  apply(update: ProbeUpdate): void;
  publish(state: ProbeState): void;
  /** Lets time pass with a beat and a look every 100 ms. */
  run(ms: number): void;
  /** Lets time pass with looks but without a beat. */
  block(ms: number): void;
  document(): Promise<Diagnosis>;
}

const STEP_MS = 100;

export const SAMPLE: MainSample = {
  at: 1000,
  heapUsedBytes: 10,
  heapLimitBytes: 100,
  externalBytes: 5,
  activeMs: 20,
  idleMs: 80,
  gc: { pauses: 2, totalMs: 3.14, longestMs: 2.22 },
};

/** Builds it; the clock starts on 2026-01-01. */
export async function createDiagnosisKit(watchesLoop = true): Promise<DiagnosisKit> {
  const clock = createManualClock();
  const board = createBoard();
  const errors: unknown[] = [];
  const { listener } = probeOptions();
  if (listener === false) throw new Error('the probe listener is off');
  const options = probeOptions({
    stallAfterMs: 1000,
    beatMs: 0,
    diagnostic: { ...listener, host: '127.0.0.1', tokens: [] },
  });
  const pace = createPace(clock);
  const late = createLateDiagnosis({
    board,
    pace,
    clock,
    options,
    watchesLoop,
    onError: (error) => errors.push(error),
    diagnose: {
      redact: createRedactor(),
      sampleMain() {
        kit.asked += 1;
        if (kit.sampleFails) return Promise.reject(new Error('no readings'));
        return kit.sample === undefined ? new Promise(() => {}) : Promise.resolve(kit.sample);
      },
    },
  });
  const hooks = { onStall() {}, onStallEnd() {}, onLivenessFailed() {} };
  const model = createProbeModel({
    board,
    clock,
    watchesLoop,
    probes: options,
    hooks: late.hearing(hooks),
  });
  const apply = (update: ProbeUpdate): void => {
    model.apply(update);
    late.apply(update);
  };
  const step = (ms: number, beats: boolean): void => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      clock.jump(STEP_MS);
      if (beats) {
        board.beatLoop(clock.now());
        board.setEvaluatedAt(clock.now());
      }
      model.tick(clock.now());
      late.look();
    }
  };
  const kit: DiagnosisKit = {
    clock,
    board,
    model,
    late,
    pace,
    errors,
    asked: 0,
    sample: SAMPLE,
    sampleFails: false,
    apply,
    publish: (state) => apply({ state, checks: [...state.checks.values()] }),
    run: (ms) => step(ms, true),
    block: (ms) => step(ms, false),
    async document() {
      const document = await late.document({});
      if (document === undefined) throw new Error('the diagnosis was not opened');
      return document;
    },
  };
  model.apply({ state: startedState() });
  board.setPhase('running');
  board.beatLoop(clock.now());
  board.setEvaluatedAt(clock.now());
  model.tick(clock.now());
  await late.open(model);
  return kit;
}

/** A run of a check that has just ended. */
export function ran(
  kit: DiagnosisKit,
  name: string,
  runs: number,
  outcome: Partial<LastOutcome> = {},
  change: Partial<CheckView> = {},
): CheckView {
  const { clock } = kit;
  const last = { status: 'pass', wallAt: clock.wallNow(), durationMs: 4, ...outcome } as const;
  const ranAt = clock.now();
  return checkView(name, {
    runs,
    ranAt,
    freshUntil: ranAt + 18_000,
    verdict: last.status,
    last,
    ...change,
  });
}

/** One check of a document. */
export function checkOf(document: Diagnosis, name: string): CheckDiagnosis {
  const check = document.checks.find((each) => each.name === name);
  if (check === undefined) throw new Error(`no check ${name}`);
  return check;
}

/** The links of a chain as lines. */
export const texts = (chain: readonly WhyStep[] | undefined): string[] =>
  (chain ?? []).map(({ kind, text }) => `${kind}: ${text}`);

type SchemaNode = { [key: string]: unknown };

/** What a document has that the published schema does not know or does not allow. */
export function problemsOf(document: unknown): string[] {
  validate(document);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

const schema = JSON.parse(
  readFileSync(new URL('../../../docs/diagnosis.schema.json', import.meta.url), 'utf8'),
) as SchemaNode;
const validate = new Ajv({ strict: false, allErrors: true }).compile(closed(schema) as object);

/** Readers must take fields they do not know, but every field of today must be in the schema. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [key, closed(value)]);
  const copy = Object.fromEntries(entries) as SchemaNode;
  return 'properties' in copy && !('additionalProperties' in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}
