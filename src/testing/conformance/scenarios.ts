import type { Status } from '../../core/check.js';
import type { FaultMode } from '../fault-proxy.js';
import type { CaseId } from './case-ids.js';
import {
  expectNoLeak,
  expectNoStorm,
  expectPass,
  expectRecovery,
  expectVerdict,
} from './expectations.js';
import type { Setting, Stage } from './stage.js';

/** What a case does once its check stands on the stage. */
export interface Scenario {
  readonly setting: Setting;
  /** `verdict` is what the check must say while the fault lasts. */
  play(stage: Stage, verdict: Status): Promise<void>;
}

/** Less would be a slow network, more a check without an answer on the way. */
const FAILING_RUNS = 20;
const BLACK_HOLE_RUNS = 3;

const through = (fault: FaultMode) => async (stage: Stage, verdict: Status) => {
  await expectPass(stage);
  await stage.fault(fault);
  await expectVerdict(stage, verdict);
  await stage.fault({ kind: 'ok' });
  await expectRecovery(stage);
};

/** One scenario for each case. */
export const SCENARIOS: Readonly<Record<CaseId, Scenario>> = {
  healthy: { setting: { through: 'server' }, play: (stage) => expectPass(stage) },
  late: {
    setting: { through: 'proxy', fault: { kind: 'refuse' } },
    play: async (stage, verdict) => {
      await expectVerdict(stage, verdict);
      await stage.fault({ kind: 'ok' });
      await expectRecovery(stage);
    },
  },
  stopped: {
    setting: { through: 'server' },
    play: async (stage, verdict) => {
      await expectPass(stage);
      await stage.server.stop();
      await expectVerdict(stage, verdict);
      await stage.server.start();
      await expectRecovery(stage);
    },
  },
  frozen: {
    setting: { through: 'server' },
    play: async (stage, verdict) => {
      await expectPass(stage);
      await stage.server.freeze();
      await expectVerdict(stage, verdict);
      await stage.server.thaw();
      await expectRecovery(stage);
    },
  },
  slow: {
    setting: { through: 'proxy' },
    play: async (stage, verdict) => {
      const { timeoutMs } = stage.settings;
      await expectPass(stage);
      await stage.fault({ kind: 'slow', latencyMs: timeoutMs / 10 });
      await expectPass(stage);
      await stage.fault({ kind: 'slow', latencyMs: timeoutMs * 10 });
      await expectVerdict(stage, verdict);
      await stage.fault({ kind: 'ok' });
      await expectRecovery(stage);
    },
  },
  refused: { setting: { through: 'proxy' }, play: through({ kind: 'refuse' }) },
  cut: {
    setting: { through: 'proxy' },
    play: async (stage, verdict) => {
      await expectPass(stage);
      await stage.fault({ kind: 'cut' });
      await expectVerdict(stage, verdict);
      await expectNoStorm(stage);
      await stage.fault({ kind: 'ok' });
      await expectRecovery(stage);
    },
  },
  reset_midway: { setting: { through: 'proxy' }, play: through({ kind: 'reset-after', bytes: 3 }) },
  half_open: { setting: { through: 'proxy' }, play: through({ kind: 'hang' }) },
  wrong_password: {
    setting: { through: 'proxy', password: 'wrong' },
    play: async (stage, verdict) => {
      await expectVerdict(stage, verdict);
      await expectNoStorm(stage);
    },
  },
  leak: { setting: { through: 'proxy' }, play: (stage) => playLeak(stage) },
  disposed: { setting: { through: 'proxy' }, play: (stage) => playDisposed(stage) },
};

async function playLeak(stage: Stage): Promise<void> {
  const { runs } = stage.settings;
  await expectPass(stage);
  let failures = 0;
  for (let run = 0; run < runs; run += 1) {
    if ((await stage.status()) !== 'pass') failures += 1;
  }
  if (failures > runs / 20) {
    stage.journal.violated('verdict', `${failures} of ${runs} runs failed on a healthy server`);
  }
  await expectNoLeak(stage, `after ${runs} runs`);
  await stage.fault({ kind: 'reset-after', bytes: 3 });
  for (let run = 0; run < FAILING_RUNS; run += 1) await stage.run();
  await stage.fault({ kind: 'hang' });
  for (let run = 0; run < BLACK_HOLE_RUNS; run += 1) await stage.run();
  await expectNoLeak(stage, 'after runs into a black hole');
  await stage.fault({ kind: 'ok' });
  await expectRecovery(stage);
  await expectNoLeak(stage, 'after failing runs');
}

async function playDisposed(stage: Stage): Promise<void> {
  await expectPass(stage);
  await stage.fault({ kind: 'hang' });
  const controller = new AbortController();
  const run = stage.run(controller.signal);
  await stage.pause(20);
  controller.abort();
  await stage.end();
  await run;
}
