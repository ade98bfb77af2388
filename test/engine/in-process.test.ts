import { describe, expect, it } from 'vitest';
import { PROGRESS_SLOTS, createBoard } from '../../src/core/board.js';
import { createCapacity } from '../../src/core/capacity.js';
import { type ProbeState, applyUpdate, initialProbeState } from '../../src/core/probe-state.js';
import { startBeat } from '../../src/engine/beat.js';
import { createCapacityGate } from '../../src/engine/capacity-gate.js';
import { createGateKeeper } from '../../src/engine/gates.js';
import { createInFlight } from '../../src/engine/in-flight.js';
import { createProgressRegistry } from '../../src/engine/progress.js';
import { createPublisher } from '../../src/engine/publisher.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

function setUp() {
  const clock = createManualClock();
  const board = createBoard();
  let state: ProbeState = initialProbeState;
  const publisher = createPublisher({
    publish: (update) => void (state = applyUpdate(state, update)),
    onError: (error) => {
      throw error;
    },
  });
  return { clock, board, publisher, state: () => state };
}

describe('beat', () => {
  it('L3: beats at once and then at its pace, and leaves no timer', async () => {
    const { clock, board } = setUp();
    const beat = startBeat({ clock, board, beatMs: 100 });
    expect(board.loopBeatAt()).toBe(1000);
    await clock.advance(250);
    expect(board.loopBeatAt()).toBe(1200);
    expect(clock.pendingHolds).toBe(0);
    beat.dispose();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('progress', () => {
  it('L4: shows its beats on the board and its name and bound in the state', async () => {
    const { clock, board, publisher, state } = setUp();
    const progress = createProgressRegistry({ clock, board, publisher });
    const orders = progress.add('orders consumer', { stallAfterMs: 60_000 });
    await clock.advance(500);
    expect(state().progress).toEqual([{ slot: 0, name: 'orders consumer', stallAfterMs: 60_000 }]);
    expect(board.progressAt(0)).toBe(1000);
    orders.beat();
    expect(board.progressAt(0)).toBe(1500);
  });

  it('L4: done frees the slot, whose next holder starts fresh and is deaf to the old one', async () => {
    const { clock, board, publisher, state } = setUp();
    const progress = createProgressRegistry({ clock, board, publisher });
    const first = progress.add('first', { stallAfterMs: 1000 });
    await clock.advance(5000);
    first.done();
    first.done();
    progress.add('second', { stallAfterMs: 1000 });
    expect(board.progressAt(0)).toBe(6000);
    await clock.advance(700);
    first.beat();
    first.done();
    await clock.settle();
    expect(board.progressAt(0)).toBe(6000);
    expect(state().progress.map(({ name }) => name)).toEqual(['second']);
  });

  it('L4: refuses more than the board holds, a bad name and a bad bound', () => {
    const { clock, board, publisher } = setUp();
    const progress = createProgressRegistry({ clock, board, publisher });
    expect(() => progress.add('a:b', { stallAfterMs: 1000 })).toThrow('progress (a name) must be');
    expect(() => progress.add('a', { stallAfterMs: 0 })).toThrow(
      'progress.a.stallAfterMs must be a number from 100',
    );
    for (let slot = 0; slot < PROGRESS_SLOTS; slot += 1)
      progress.add(`p-${slot}`, { stallAfterMs: 1000 });
    expect(() => progress.add('one more', { stallAfterMs: 1000 })).toThrow(
      expect.objectContaining({ code: 'HALE_TOO_MANY' }),
    );
  });
});

describe('in flight', () => {
  it('D2: names what is open with its age, oldest first, and counts on the board', async () => {
    const { clock, board } = setUp();
    const inFlight = createInFlight({ clock, board });
    const end = inFlight.begin('job 1');
    await clock.advance(1500);
    inFlight.begin(() => 'GET /orders');
    expect(board.inFlight()).toBe(2);
    expect(inFlight.open()).toEqual(['job 1 for 1.5 s', 'GET /orders for 0.0 s']);
    end();
    end();
    expect(board.inFlight()).toBe(1);
    for (let index = 0; index < 30; index += 1) inFlight.begin('job');
    expect(inFlight.open()).toHaveLength(21);
    expect(inFlight.open().at(-1)).toBe('and 11 more');
  });

  it('D1: idle resolves at once when idle, otherwise with the last to end', async () => {
    const { clock, board } = setUp();
    const inFlight = createInFlight({ clock, board });
    await inFlight.whenIdle();
    const ends = [inFlight.begin('a'), inFlight.begin('b')];
    let idle = false;
    void inFlight.whenIdle().then(() => (idle = true));
    ends[0]?.();
    await clock.settle();
    expect(idle).toBe(false);
    ends[1]?.();
    await clock.settle();
    expect(idle).toBe(true);
  });

  it('R8: at the ceiling readiness closes at once, and opens at the lower limit', () => {
    const { clock, board, publisher, state } = setUp();
    const gate = createCapacityGate({
      capacity: createCapacity({ leaveAt: 3, reenterAt: 1, leaveAfterMs: 0, reenterAfterMs: 0 }),
      gates: createGateKeeper(publisher),
      clock,
    });
    const inFlight = createInFlight({ clock, board, onChange: (count) => gate.observe(count) });
    const ends = [inFlight.begin('a'), inFlight.begin('b'), inFlight.begin('c')];
    const seen = [state().gates.atCapacity];
    for (const end of ends) {
      end();
      seen.push(state().gates.atCapacity);
    }
    expect(seen).toEqual([true, true, false, false]);
  });
});
