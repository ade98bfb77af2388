import type { Clock, Timer } from '../core/clock.js';
import { type Guard, countBadSamples, sampleGuard } from '../core/guard.js';
import type { Logger } from '../core/logger.js';
import { errorText } from '../core/error-text.js';
import type { Running } from './beat.js';
import type { Publisher } from './publisher.js';

export interface GuardSamplerOptions {
  readonly guards: readonly Guard[];
  readonly clock: Clock;
  readonly publisher: Publisher;
  readonly logger: Logger;
  readonly redact: (text: string) => string;
}

interface Watch {
  readonly guard: Guard;
  timer: Timer | undefined;
  bad: number;
  failingSince: number | undefined;
  /** What the guard threw at its last sample. */
  error: string | undefined;
}

/** Samples guards; one that is bad often enough in a row fails liveness until a good sample (L5). */
export function startGuardSampler(options: GuardSamplerOptions): Running {
  const { clock } = options;
  const watches = options.guards.map((guard): Watch => ({
    guard,
    timer: undefined,
    bad: 0,
    failingSince: undefined,
    error: undefined,
  }));
  const plan = (watch: Watch): void => {
    watch.timer = clock.setTimeout(() => {
      plan(watch);
      if (sample(options, watch)) publish(options, watches);
    }, watch.guard.everyMs);
  };
  for (const watch of watches) plan(watch);
  return {
    dispose() {
      for (const { timer } of watches) timer?.clear();
    },
  };
}

/** Takes one sample; whether the guard began or ceased to fail liveness. */
function sample(options: GuardSamplerOptions, watch: Watch): boolean {
  watch.bad = countBadSamples(watch.bad, isSound(options, watch));
  const failing = watch.bad >= watch.guard.samples;
  if (failing === (watch.failingSince !== undefined)) return false;
  log(options, watch, failing);
  watch.failingSince = failing ? options.clock.now() : undefined;
  return true;
}

/** A guard that throws has seen nothing, and a restart would not mend it: it counts as sound, and is logged. */
function isSound({ logger, redact }: GuardSamplerOptions, watch: Watch): boolean {
  const { name } = watch.guard;
  try {
    const sound = sampleGuard(watch.guard);
    watch.error = undefined;
    return sound;
  } catch (error) {
    const text = redact(errorText(error));
    if (text !== watch.error) {
      logger.error({ event: 'guard_error', guard: name, output: text }, `guard "${name}" throws`);
    }
    watch.error = text;
    return true;
  }
}

function log({ clock, logger }: GuardSamplerOptions, watch: Watch, failing: boolean): void {
  const { name, samples, everyMs } = watch.guard;
  if (failing) {
    const fields = { event: 'guard_failed', guard: name, samples, everyMs };
    logger.error(fields, `guard "${name}" fails: ${samples} bad samples in a row`);
  } else {
    const lastedMs = Math.round(clock.now() - (watch.failingSince ?? clock.now()));
    logger.info(
      { event: 'guard_recovered', guard: name, lastedMs },
      `guard "${name}" is sound again`,
    );
  }
}

function publish({ publisher }: GuardSamplerOptions, watches: readonly Watch[]): void {
  const failing = watches.filter(({ failingSince }) => failingSince !== undefined);
  publisher.patch({ failingGuards: failing.map(({ guard }) => guard.name) });
}
