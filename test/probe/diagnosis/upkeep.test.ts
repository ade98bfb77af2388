import { describe, expect, it } from 'vitest';
import type { CheckView } from '../../../src/core/probe-state.js';
import { createLateDiagnosis } from '../../../src/probe/diagnosis/late-diagnosis.js';
import { startedState } from '../../core/probe-state-builders.js';
import { probeOptions } from '../../support/probing.js';
import { SAMPLE, checkOf, createDiagnosisKit, problemsOf, ran } from './diagnosis-kit.js';

describe('readings of the main loop', () => {
  it('E4: are asked for only while somebody looks, about once a second', async () => {
    const kit = await createDiagnosisKit();
    kit.run(30_000);
    await kit.clock.advance(30_000);
    expect(kit.asked).toBe(0);
    expect(kit.clock.pendingTimers).toBe(0);
    const { process: first } = await kit.document();
    expect(first.main).toStrictEqual({
      ageMs: 60_000,
      heapUsedBytes: 10,
      heapLimitBytes: 100,
      externalBytes: 5,
      utilisation: 0.2,
      gc: { pauses: 2, totalMs: 3.1, longestMs: 2.2 },
    });
    expect(first.series).toHaveLength(1);
    await kit.clock.advance(5000);
    expect(kit.asked).toBeGreaterThanOrEqual(6);
    expect(kit.asked).toBeLessThanOrEqual(7);
    await kit.clock.advance(60_000);
    expect(kit.asked).toBeLessThan(15);
    expect(kit.clock.pendingTimers).toBe(0);
  });

  it('L8: stand still with the loop, which is asked no more until it has answered', async () => {
    const kit = await createDiagnosisKit();
    kit.sample = { ...SAMPLE, at: kit.clock.now(), activeMs: 120, idleMs: 80 };
    await kit.document();
    kit.sample = undefined;
    const blocked = kit.document();
    await kit.clock.advance(5000);
    const { process: during } = await blocked;
    expect(during.main?.utilisation).toBe(0.6);
    expect(kit.asked).toBeLessThanOrEqual(3);
    const pending = kit.document();
    await kit.clock.advance(200);
    const document = await pending;
    const { process: later } = document;
    expect(later.main?.ageMs).toBeGreaterThanOrEqual(5000);
    expect(later.series.length).toBeGreaterThan(4);
    expect(problemsOf(document)).toStrictEqual([]);
  });

  it('E4: two readings tell how busy the loop was between them', async () => {
    const kit = await createDiagnosisKit();
    await kit.document();
    kit.sample = { ...SAMPLE, activeMs: 50, idleMs: 90 };
    const { process: second } = await kit.document();
    expect(second.main?.utilisation).toBe(0.75);
  });

  it('E4: a loop that beats late, or not at all, is in the series', async () => {
    const kit = await createDiagnosisKit();
    await kit.document();
    kit.board.recordLoopDelay(40);
    kit.clock.jump(999);
    kit.board.beatLoop(kit.clock.now());
    await kit.clock.advance(1);
    kit.clock.jump(999);
    await kit.clock.advance(1);
    const { process: seen } = await kit.document();
    expect(seen.series.map(({ loopDelayMs }) => loopDelayMs)).toStrictEqual([0, 40, 1001]);
  });
});

describe('the memory of the diagnosis', () => {
  it('E4: 10,000 checks that come and go leave nothing', async () => {
    const kit = await createDiagnosisKit();
    for (let index = 0; index < 10_000; index += 1) {
      const name = `check-${index}`;
      kit.apply({ checks: [ran(kit, name, 1)] });
      kit.apply({ removedChecks: [name] });
    }
    const document = await kit.document();
    expect(document.checks).toStrictEqual([]);
    expect(document.timeline.length).toBeLessThanOrEqual(200);
    // Places are free again: the bound is one of checks at a time.
    kit.apply({ checks: [ran(kit, 'last', 1)] });
    expect(checkOf(await kit.document(), 'last').recent).toHaveLength(1);
  });

  it('E4: a progress that is gone is forgotten, and one by the same name is another', async () => {
    const kit = await createDiagnosisKit();
    const view = { name: 'job', slot: 0, stallAfterMs: 500 } as const;
    const stall = async () => {
      kit.publish(startedState([], { progress: [view] }));
      kit.board.beatProgress(0, kit.clock.now());
      kit.run(1000);
      kit.board.beatProgress(0, kit.clock.now());
      kit.run(100);
      kit.publish(startedState([], { progress: [] }));
      kit.run(100);
      const { timeline } = await kit.document();
      return timeline.filter(({ kind, to }) => kind === 'stall' && to === 'standing');
    };
    expect(await stall()).toHaveLength(1);
    const [again] = await stall();
    expect(again).toMatchObject({ name: 'job', from: 'moving', to: 'standing' });
    expect(again).not.toHaveProperty('lastedMs');
  });

  it('E4: of very many checks at once the runs of the first are kept, and all are told', async () => {
    const kit = await createDiagnosisKit();
    const names = Array.from({ length: 300 }, (_, index) => `check-${index}`);
    kit.apply({ checks: names.map((name) => ran(kit, name, 1)) });
    const { checks } = await kit.document();
    expect(checks).toHaveLength(300);
    expect(checks.filter(({ recent }) => recent.length > 0)).toHaveLength(250);
    kit.apply({ removedChecks: ['check-0'], checks: [ran(kit, 'check-299', 2)] });
    expect(checkOf(await kit.document(), 'check-299').recent).toHaveLength(1);
  });

  it('E4: of very many checks each has fewer steps, so that the document stays bounded', async () => {
    const kit = await createDiagnosisKit();
    const names = Array.from({ length: 200 }, (_, index) => `check-${index}`);
    for (let step = 1; step <= 150; step += 1) {
      kit.clock.jump(300_000);
      kit.apply({ checks: names.map((name) => ran(kit, name, step)) });
    }
    const { checks } = await kit.document();
    expect(checks.map(({ history }) => history.length)).toStrictEqual(names.map(() => 100));
    expect(checks[0]?.history.at(-1)?.at).toBe('2026-01-01T12:30:00.000Z');
  });

  it('E4: a check added again by the same name starts anew', async () => {
    const kit = await createDiagnosisKit();
    kit.apply({ checks: [ran(kit, 'database', 5)] });
    kit.apply({ checks: [ran(kit, 'database', 1)], removedChecks: ['database'] });
    kit.apply({ checks: [ran(kit, 'cache', 9)] });
    kit.apply({ checks: [ran(kit, 'cache', 1)] });
    const document = await kit.document();
    expect(checkOf(document, 'database').recent).toHaveLength(1);
    expect(checkOf(document, 'cache').recent).toHaveLength(1);
  });

  it('E4: a timeline holds the last 200 changes, newest first', async () => {
    const kit = await createDiagnosisKit();
    for (let run = 1; run <= 300; run += 1) {
      kit.clock.jump(1000);
      kit.apply({
        checks: [ran(kit, 'flapping', run, { status: run % 2 === 0 ? 'pass' : 'warn' })],
      });
    }
    const { timeline } = await kit.document();
    expect(timeline).toHaveLength(200);
    expect(timeline[0]?.at).toBe('2026-01-01T00:05:00.000Z');
    expect(timeline.map(({ at }) => at)).toStrictEqual(
      timeline.map(({ at }) => at).toSorted((a, b) => (a < b ? 1 : -1)),
    );
  });
});

describe('a diagnosis that is not there', () => {
  it('E4: is not there without a listener for it', async () => {
    const { board, clock, model, pace } = await createDiagnosisKit();
    const onError = (error: unknown): never => {
      throw error;
    };
    const options = probeOptions();
    const late = createLateDiagnosis({ board, clock, pace, options, watchesLoop: true, onError });
    await late.open(model);
    late.apply({});
    late.look();
    expect(await late.document({})).toBeUndefined();
    expect(late.streams).toBeUndefined();
  });

  it('E4: is an error that is told, and the probes go on', async () => {
    const kit = await createDiagnosisKit();
    kit.late.apply({ checks: [null as unknown as CheckView] });
    expect(kit.errors).toMatchObject([{ name: 'TypeError' }]);
    expect(kit.model.answer('liveness', kit.clock.now()).status).toBe(200);
    expect((await kit.document()).probes.liveness.status).toBe('pass');
  });

  it('E4: that cannot be opened is an error that is told, and nothing else', async () => {
    const { board, clock, model, pace } = await createDiagnosisKit();
    const errors: unknown[] = [];
    const { listener } = probeOptions();
    if (listener === false) throw new Error('the probe listener is off');
    const late = createLateDiagnosis({
      board,
      pace,
      clock: {
        ...clock,
        wallNow() {
          throw new Error('no time of day');
        },
      },
      options: probeOptions({ diagnostic: { ...listener, host: '127.0.0.1', tokens: [] } }),
      watchesLoop: true,
      onError: (error) => errors.push(error),
      diagnose: { sampleMain: () => new Promise(() => {}), redact: (text) => text },
    });
    await late.open(model);
    expect(errors).toMatchObject([{ message: 'no time of day' }]);
    expect(await late.document({})).toBeUndefined();
  });

  it('E4: of a main loop that cannot read itself is without its readings, and says so once', async () => {
    const kit = await createDiagnosisKit();
    kit.sampleFails = true;
    await kit.document();
    const { process: seen } = await kit.document();
    expect(seen.main).toBeUndefined();
    expect(kit.errors).toMatchObject([{ message: 'no readings' }]);
  });

  it('E4: leaves no timer once it is closed', async () => {
    const kit = await createDiagnosisKit();
    await kit.document();
    expect(kit.clock.pendingTimers).toBe(1);
    kit.late.close();
    expect(kit.clock.pendingTimers).toBe(0);
    await kit.document();
    expect(kit.clock.pendingTimers).toBe(0);
  });
});
