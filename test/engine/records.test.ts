import { describe, expect, it } from 'vitest';
import { createBoard } from '../../src/core/board.js';
import { histogramCount } from '../../src/core/histogram.js';
import { LEASE_OUTCOMES, type LeaseView } from '../../src/core/lease-host.js';
import type { ProbeUpdate } from '../../src/core/probe-state.js';
import { startBeat } from '../../src/engine/beat.js';
import { createDrainRecord } from '../../src/engine/drain-record.js';
import { createLeaseRecord } from '../../src/engine/lease-record.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { check, setUpRegistry } from './support.js';

type Patch = NonNullable<ProbeUpdate['state']>;

function patches(): { readonly seen: Patch[]; patch(change: Patch): void } {
  const seen: Patch[] = [];
  return { seen, patch: (change) => void seen.push(change) };
}

const noOutcomes = Object.fromEntries(
  LEASE_OUTCOMES.map((each) => [each, 0]),
) as LeaseView['outcomes'];

const lease: LeaseView = {
  name: 'leader',
  backend: 'memory',
  holder: 'a',
  impact: 'critical',
  state: 'acquiring',
  outcomes: noOutcomes,
};

describe('what is kept for metrics', () => {
  it('O1: each step of the drain is published with its duration, and told on', () => {
    const publisher = patches();
    const told: string[] = [];
    const record = createDrainRecord(publisher, ({ kind }) => told.push(kind));
    record({ kind: 'step_begin', step: 'in_flight', limitMs: 100 });
    record({ kind: 'step_end', step: 'in_flight', ended: 'done', durationMs: 700, open: [] });
    record({ kind: 'step_end', step: 'closers', ended: 'cut', durationMs: 3000, open: [] });
    expect(told).toStrictEqual(['step_begin', 'step_end', 'step_end']);
    expect(publisher.seen.at(-1)?.drainSteps).toMatchObject([
      { step: 'in_flight', durations: { sum: 0.7 } },
      { step: 'closers', durations: { sum: 3 } },
    ]);
  });

  it('O1: leases are published when something happened, not at each look', () => {
    const publisher = patches();
    let views: LeaseView[] = [];
    const look = createLeaseRecord({
      publisher,
      leases: { views: () => views },
      onError() {},
      next() {},
    });
    look();
    expect(publisher.seen).toStrictEqual([]);
    views = [lease];
    look();
    views = [{ ...lease, remainingMs: 5 }];
    look();
    expect(publisher.seen).toHaveLength(1);
    views = [{ ...lease, outcomes: { ...noOutcomes, denied: 1 } }];
    look();
    expect(publisher.seen).toHaveLength(2);
    views = [];
    look();
    expect(publisher.seen.at(-1)).toStrictEqual({ leases: [] });
  });

  it('O1: a lease whose view throws does not end the schedule', () => {
    const errors: string[] = [];
    const look = createLeaseRecord({
      publisher: patches(),
      leases: {
        views: () => {
          throw new Error('broken');
        },
      },
      onError: (error, where) => errors.push(`${String(error)} in ${where}`),
      next: () => errors.push('and on'),
    });
    look();
    expect(errors).toStrictEqual(['Error: broken in the view of a lease', 'and on']);
  });

  it('O1: every run of a check counts in its durations, a failed one too', async () => {
    let fails = false;
    const { registry, clock, probe, add } = setUp(async () => {
      clock.jump(30);
      if (fails) throw new Error('down');
    });
    add();
    await registry.evaluate();
    fails = true;
    await clock.advance(10_000);
    await registry.evaluate();
    const view = probe.state.checks.get('database');
    expect(view?.durations && histogramCount(view.durations)).toBe(2);
    expect(view?.durations?.sum).toBeCloseTo(0.06);
    expect(view?.ranAt).toBe(clock.now());
  });

  it('O1: a beat that comes late counts for each beat that it kept from happening', async () => {
    const clock = createManualClock();
    const board = createBoard();
    const beat = startBeat({ clock, board, beatMs: 100 });
    await clock.advance(300);
    expect(histogramCount(board.loopDelays())).toBe(3);
    expect(board.loopDelays().sum).toBe(0);
    clock.jump(350);
    await clock.advance(0);
    beat.dispose();
    // 250 ms late, and two beats before it that would have been 150 and 50 ms late.
    expect(histogramCount(board.loopDelays())).toBe(6);
    expect(board.loopDelays().sum).toBeCloseTo(0.45);
  });
});

function setUp(run: () => Promise<void>) {
  const kit = setUpRegistry();
  return {
    ...kit,
    add: () => kit.registry.add(check('database', { mode: 'on-demand', run })),
  };
}
