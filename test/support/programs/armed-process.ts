import { createBoard } from '../../../src/core/board.js';
import { silentLogger } from '../../../src/core/logger.js';
import { systemClock } from '../../../src/engine/system-clock.js';
import { threadSource } from '../../../src/probe/kill-switch/kill-source.generated.js';
import { createKillSwitch } from '../../../src/probe/kill-switch/kill-switch.js';

/*
 * Arms a kill switch whose thread crashes a number of times before it works, moves its deadline a number of times, each
 * time before it passes, and blocks its main loop.
 */
const [crashes = '0', moves = '0', end = 'block'] = process.argv.slice(2);
const board = createBoard();
/** A word of the board that nothing uses. */
const STARTS = 15;
const crash = `
  const { workerData } = require('node:worker_threads');
  if (Atomics.add(new Int32Array(workerData.board), ${STARTS}, 1) < ${crashes})
    throw new Error('crashed');`;
const killSwitch = createKillSwitch({
  board,
  clock: systemClock,
  logger: silentLogger,
  enabled: true,
  realTime: true,
  threadSource: `${crash}\n${threadSource}`,
});
const inMs = (ms: number) => killSwitch.set({ at: systemClock.now() + ms, lease: 'orders' });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

killSwitch.arm();
const words = new Int32Array(board.buffer);
while (Atomics.load(words, STARTS) <= Number(crashes)) await pause(20);
for (let moved = 0; moved < Number(moves); moved += 1) {
  inMs(400);
  await pause(200);
}
if (end === 'block') {
  inMs(500);
  const until = performance.now() + 10_000;
  while (performance.now() < until);
}
