import { contain } from '../core/contain.js';
import { closingBatches } from '../core/drain-plan.js';
import type { Logger } from '../core/logger.js';
import { errorText } from '../core/error-text.js';
import {
  booleanOption,
  choiceOption,
  functionOption,
  objectOption,
  textOption,
} from '../core/validate.js';

/** Ends something at shutdown; should give up when the signal aborts, at the latest at the deadline. */
export type DrainHook = (signal: AbortSignal) => unknown;

export const DRAIN_STAGES = ['consumers', 'closers', 'lease_release'] as const;

export type DrainStage = (typeof DRAIN_STAGES)[number];

export interface DrainHookOptions {
  /** @defaultValue 'closers' */
  stage?: DrainStage;
  /** Closes side by side with neighbours of the same stage that are independent too. @defaultValue false */
  independent?: boolean;
  /** What it still waits for, named in the log in place of the hook. */
  open?: () => readonly string[];
}

/** What is to be ended at shutdown, by stage. */
export interface DrainHooks {
  readonly size: number;
  /** Registers a hook; the returned function takes it off again. @throws OptionError on a bad name, hook or option. */
  add(name: string, hook: DrainHook, options?: DrainHookOptions): () => void;
  /** Runs a stage in the reverse order of registration. Rejects once all have ended if any of them failed. */
  run(stage: DrainStage, signal: AbortSignal): Promise<void>;
  /** The hooks of a stage that have not ended, or that failed. */
  open(stage: DrainStage): readonly string[];
}

interface Entry {
  readonly name: string;
  readonly hook: DrainHook;
  readonly stage: DrainStage;
  readonly independent: boolean;
  readonly open: () => readonly string[];
  state: 'waiting' | 'running' | 'done' | 'failed';
}

export interface DrainHooksOptions {
  readonly logger: Logger;
  readonly redact: (text: string) => string;
}

/** Creates an empty set of hooks. */
export function createDrainHooks({ logger, redact }: DrainHooksOptions): DrainHooks {
  const entries = new Set<Entry>();
  const of = (stage: DrainStage) => [...entries].filter((entry) => entry.stage === stage);

  const runOne = async (entry: Entry, signal: AbortSignal): Promise<void> => {
    entry.state = 'running';
    try {
      await entry.hook(signal);
      entry.state = 'done';
    } catch (error) {
      entry.state = 'failed';
      const fields = {
        event: 'drain_hook_failed',
        hook: entry.name,
        output: redact(errorText(error)),
      };
      logger.error(fields, `shutdown hook "${entry.name}" failed`);
    }
  };

  return {
    get size() {
      return entries.size;
    },
    add(name, hook, options = {}) {
      const path = `onShutdown.${String(name)}`;
      const {
        stage = 'closers',
        independent = false,
        open = () => [],
      } = objectOption(path, options);
      const entry: Entry = {
        name: textOption('onShutdown (a name)', name),
        hook: functionOption(`${path} (the hook)`, hook),
        stage: choiceOption(`${path}.stage`, stage, DRAIN_STAGES),
        independent: booleanOption(`${path}.independent`, independent),
        open: functionOption(`${path}.open`, open),
        state: 'waiting',
      };
      entries.add(entry);
      return () => void entries.delete(entry);
    },
    async run(stage, signal) {
      for (const batch of closingBatches(of(stage))) {
        if (signal.aborted) return;
        await Promise.all(batch.map((entry) => runOne(entry, signal)));
      }
      const failed = of(stage).filter(({ state }) => state === 'failed');
      if (failed.length > 0) throw new Error(`${failed.map(({ name }) => name).join(', ')} failed`);
    },
    open: (stage) =>
      of(stage)
        .filter(({ state }) => state !== 'done')
        .flatMap(namesOf),
  };
}

function namesOf({ name, state, open }: Entry): readonly string[] {
  let named: readonly string[] = [];
  // A hook that cannot name what it waits for is named itself.
  contain(
    () => (named = open()),
    () => {},
  );
  return named.length > 0 ? named : [`hook "${name}" (${state})`];
}
