import { describe, expect, it } from 'vitest';
import { createBoard } from '../../src/core/board.js';
import { histogramCount } from '../../src/core/histogram.js';
import { LEASE_OUTCOMES, type LeaseView } from '../../src/core/lease-host.js';
import type { DrainView, ProbeUpdate } from '../../src/core/probe-state.js';
import { createRedactor } from '../../src/core/redact.js';
import { startBeat } from '../../src/engine/beat.js';
import { type DrainRecord, createDrainRecord } from '../../src/engine/drain-record.js';
import { createLeaseRecord } from '../../src/engine/lease-record.js';
import { type ManualClock, createManualClock } from '../../src/testing/manual-clock.js';
import { check, setUpRegistry } from './support.js';

type Patch = NonNullable<ProbeUpdate['state']>;

function patches(): { readonly seen: Patch[]; patch(change: Patch): void } {
  const seen: Patch[] = [];
  return { seen, patch: (change) => void seen.push(change) };
}

interface DrainKit {
  readonly publisher: ReturnType<typeof patches>;
  readonly clock: ManualClock;
  readonly told: string[];
  readonly errors: string[];
  /** `undefined` throws. */
  open: readonly string[] | undefined;
  deadlineAt: number | undefined;
  readonly record: DrainRecord;
}

function drainKit(): DrainKit {
  const publisher = patches();
  const clock = createManualClock();
  const told: string[] = [];
  const errors: string[] = [];
  const kit: DrainKit = {
    publisher,
    clock,
    told,
    errors,
    open: ['GET /?password=hunter2'],
    deadlineAt: undefined,
    record: createDrainRecord({
      publisher,
      clock,
      redact: createRedactor(),
      open() {
        if (kit.open === undefined) throw new Error('no name');
        return kit.open;
      },
      deadlineAt: () => kit.deadlineAt,
      onError: (_error, where) => errors.push(where),
      next: ({ kind }) => told.push(kind),
    }),
  };
  return kit;
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
    const { record, publisher, told } = drainKit();
    record.tell({ kind: 'step_begin', step: 'in_flight', limitMs: 100 });
    record.tell({ kind: 'step_end', step: 'in_flight', ended: 'done', durationMs: 700, open: [] });
    record.tell({ kind: 'step_end', step: 'closers', ended: 'cut', durationMs: 3000, open: [] });
    expect(told).toStrictEqual(['step_begin', 'step_end', 'step_end']);
    expect(publisher.seen.at(-1)?.drainSteps).toMatchObject([
      { step: 'in_flight', durations: { sum: 0.7 } },
      { step: 'closers', durations: { sum: 3 } },
    ]);
  });

  it('E4: the drain is published as it gets on, with what it waits for and no secret', () => {
    const kit = drainKit();
    const { record, publisher, clock } = kit;
    const last = (): DrainView | undefined =>
      publisher.seen.findLast(({ drain }) => drain !== undefined)?.drain;
    record.look();
    expect(last()).toBeUndefined();
    record.tell({
      kind: 'begin',
      reason: 'deploy of postgres://app:hunter2@db',
      propagationDelayMs: 10,
      deadlineMs: 5000,
      inFlight: 1,
    });
    record.tell({ kind: 'step_begin', step: 'propagation', limitMs: 10 });
    expect(last()).toMatchObject({
      reason: 'deploy of postgres://[redacted]@db',
      since: clock.wallNow(),
      deadlineAt: clock.now() + 5000,
      open: [],
    });
    const durations = { ended: 'done', durationMs: 10, open: [] } as const;
    record.tell({ kind: 'step_end', step: 'propagation', ...durations });
    record.tell({ kind: 'step_begin', step: 'stop_accepting', limitMs: 10 });
    expect(last()).toMatchObject({ open: ['GET /?password=[redacted]'] });
    expect(last()?.steps.map(({ state }) => state)).toStrictEqual([
      'done',
      'running',
      'waiting',
      'waiting',
      'waiting',
      'waiting',
    ]);
    const published = publisher.seen.length;
    record.look();
    expect(publisher.seen).toHaveLength(published);
    kit.open = [];
    kit.deadlineAt = 42;
    record.look();
    expect(last()).toMatchObject({ open: [], deadlineAt: 42 });
  });

  it('D2: what cannot name itself does not end the drain', () => {
    const kit = drainKit();
    kit.open = undefined;
    kit.record.tell({
      kind: 'begin',
      reason: 'x',
      propagationDelayMs: 0,
      deadlineMs: 1,
      inFlight: 0,
    });
    kit.record.look();
    expect(kit.told).toStrictEqual(['begin']);
    expect(kit.errors.length).toBeGreaterThan(0);
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
