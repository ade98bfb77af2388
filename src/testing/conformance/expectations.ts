import type { Status } from '../../core/check.js';
import { eventually } from './pause.js';
import type { Stage } from './stage.js';

const RUNS_WHILE_AWAY = 3;
const BETWEEN_RUNS_MS = 20;

/** Runs until one passes; a client may take a moment to connect. */
export async function expectPass(stage: Stage): Promise<void> {
  await passesInTime(stage, 'verdict', 'against a healthy server');
}

/** Runs until one passes again, without any help. */
export async function expectRecovery(stage: Stage): Promise<void> {
  await passesInTime(stage, 'recovery', 'after the fault was over');
}

async function passesInTime(stage: Stage, rule: 'verdict' | 'recovery', when: string) {
  const { clock, recoverWithinMs } = stage.settings;
  let last = '';
  const passed = await eventually(clock, recoverWithinMs, async () => {
    const { outcome } = await stage.run();
    last = outcome.output ?? outcome.code ?? outcome.status;
    return outcome.status === 'pass';
  });
  if (passed) return;
  // The text is in the journal's report already if it is fit to be told.
  const told = stage.journal.violations.some((each) => each.rule === 'secret') ? '' : `: ${last}`;
  stage.journal.violated(rule, `did not pass within ${recoverWithinMs} ms ${when}${told}`);
}

/** Runs several times, each of which must have the verdict. */
export async function expectVerdict(stage: Stage, verdict: Status): Promise<void> {
  const { clock, noticeWithinMs } = stage.settings;
  let status: Status | undefined;
  await eventually(clock, noticeWithinMs, async () => {
    status = await stage.status();
    return status === verdict;
  });
  for (let run = 1; run < RUNS_WHILE_AWAY && status === verdict; run += 1) {
    await stage.pause(BETWEEN_RUNS_MS);
    status = await stage.status();
  }
  if (status === verdict) return;
  stage.journal.violated('verdict', `was ${status} instead of ${verdict} during the fault`);
}

/** Runs every 100 ms for a second and judges how often a connection was attempted meanwhile. */
export async function expectNoStorm(stage: Stage): Promise<void> {
  const { clock, maxAttemptsPerSecond } = stage.settings;
  const before = stage.attempts;
  const startedAt = clock.now();
  const endAt = startedAt + 1_000;
  while (clock.now() < endAt) {
    await stage.run();
    await stage.pause(Math.max(0, Math.min(100, endAt - clock.now())));
  }
  const seconds = (clock.now() - startedAt) / 1_000;
  const attempts = stage.attempts - before;
  if (attempts <= maxAttemptsPerSecond * seconds) return;
  const took = `${attempts} connections were attempted in ${seconds.toFixed(1)} s`;
  stage.journal.violated('storm', `${took}, at most ${maxAttemptsPerSecond} a second are allowed`);
}

/** Compares the open connections with what the check may hold. */
export async function expectNoLeak(stage: Stage, when: string): Promise<void> {
  const { heldConnections } = stage.settings;
  const open = await stage.settledConnections(heldConnections);
  if (open <= heldConnections) return;
  stage.journal.violated(
    'leak',
    `${open} connections are open ${when}, allowed ${heldConnections}`,
  );
}
