import { expect, it } from 'vitest';
import { createBoard } from '../../src/core/board.js';
import { createProbeSide } from '../../src/probe/probe-side.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { startedState } from '../core/probe-state-builders.js';
import { probeOptions } from '../support/probing.js';

function setUp(notify: (message: string) => void) {
  const world = { broken: false };
  const board = createBoard();
  const clock = createManualClock();
  const errors: string[] = [];
  const side = createProbeSide({
    options: probeOptions({
      listener: false,
      systemd: { sender: 'caller', socket: '/nowhere', stopWithinMs: 1000 },
    }),
    board: {
      ...board,
      phase() {
        if (world.broken) throw new Error('a bug of ours');
        return board.phase();
      },
    },
    clock,
    watchesLoop: false,
    hooks: { onStall() {}, onStallEnd() {}, onLivenessFailed() {} },
    evaluate: async () => {},
    notify,
    onError: (error) => errors.push((error as Error).message),
  });
  board.setPhase('running');
  board.setEvaluatedAt(clock.now());
  side.apply({ state: startedState() });
  return { world, clock, side, errors };
}

it('an error in what follows readiness reaches nobody who publishes', async () => {
  const told: string[] = [];
  const { world, clock, side, errors } = setUp((message) => told.push(message));
  await side.listen();
  await clock.settle();
  world.broken = true;
  side.apply({});
  expect(errors).toEqual(['a bug of ours']);
  world.broken = false;
  side.apply({ state: { gates: { leaseLost: false, maintenance: true, atCapacity: false } } });
  expect(told).toEqual(['READY=1\nSTATUS=ready', 'STATUS=not ready: maintenance']);
  await side.close();
  expect(clock.pendingTimers).toBe(0);
});

it('a function for systemd that throws is told once and asked again', async () => {
  const told: string[] = [];
  const world = { fails: true };
  const { clock, side, errors } = setUp((message) => {
    if (world.fails) throw new Error('no socket');
    told.push(message);
  });
  await side.listen();
  await clock.advance(3500);
  expect(errors).toEqual(['no socket']);
  world.fails = false;
  await clock.advance(1000);
  expect(told).toEqual(['READY=1\nSTATUS=ready']);
  await side.close();
});
