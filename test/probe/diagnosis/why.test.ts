import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../../src/core/diagnosis.js';
import { groupOf } from '../../core/probe-state-builders.js';
import { createDiagnosisKit, ran, texts } from './diagnosis-kit.js';

describe('why a probe says what it says', () => {
  it('R7: a group is explained by its quorum and by the members it has lost', async () => {
    const kit = await createDiagnosisKit();
    const error = { status: 'fail', output: 'refused' } as const;
    kit.apply({
      state: { groups: [groupOf('replicas', ['one', 'two', 'three'], { quorum: 2 })] },
      checks: [ran(kit, 'one', 1), ran(kit, 'two', 1, error)],
    });
    const failed = groupOf('replicas', ['one', 'two'], { quorum: 2 });
    const { probes } = await kit.document();
    expect(probes.readiness.reason).toBe('check_pending:three');
    kit.apply({ state: { groups: [failed] } });
    const after = await kit.document();
    expect(texts(after.probes.readiness.why[0])).toStrictEqual([
      'reason: group_failed:replicas',
      'fact: a weight of 1 passes, the quorum is 2',
      'verdict: "two" (critical) is at fail',
      'error: refused',
    ]);
  });

  it.each([
    [{ fatal: 'stock is negative' }, 'fatal', 'fact: declared unrecoverable: stock is negative'],
    [{ maintenance: true }, 'maintenance', 'fact: taken out of rotation by maintenance()'],
    [{ atCapacity: true }, 'at_capacity', 'fact: 7 in flight'],
  ])('R4: a gate is explained: %o', async (gate, reason, fact) => {
    const kit = await createDiagnosisKit();
    kit.board.setInFlight(7);
    const closed = { leaseLost: false, maintenance: false, atCapacity: false };
    kit.apply({ state: { gates: { ...closed, ...gate } } });
    const { probes } = await kit.document();
    expect(texts(probes.readiness.why[0])).toStrictEqual([`reason: ${reason}`, fact]);
  });

  it('R10: an instance that is held says what it would leave for, and why', async () => {
    const kit = await createDiagnosisKit();
    const gates = { leaseLost: false, maintenance: false, atCapacity: true };
    const error = { status: 'fail', output: 'refused' } as const;
    kit.apply({
      state: { gates: { ...gates, exitPermit: 'refused' } },
      checks: [ran(kit, 'database', 1, error)],
    });
    const { readiness } = (await kit.document()).probes;
    expect(readiness.status).toBe('warn');
    expect(readiness.why.map(texts)).toStrictEqual([
      [
        'reason: held_by_floor:at_capacity',
        'fact: would leave rotation, but too many other instances already have',
        'reason: at_capacity',
        'fact: 0 in flight',
      ],
      [
        'reason: held_by_floor:database',
        'fact: would leave rotation, but too many other instances already have',
        'reason: check_failed:database',
        'verdict: "database" (critical) is at fail',
        'outcome: fail after 4 ms',
        'error: refused',
      ],
    ]);
  });

  it('S2: start-up is explained by the tasks it waits for', async () => {
    const kit = await createDiagnosisKit();
    const remaining = ['schema', 'prices'];
    const startup = { complete: false, timedOut: false, total: 3, remaining, percent: 40 };
    kit.apply({ state: { startup } });
    const { startup: probe } = (await kit.document()).probes;
    expect(texts(probe.why[0])).toStrictEqual([
      'reason: starting',
      'fact: 1 of 3 start-up tasks are done, 40 %',
      'fact: waits for "schema"',
      'fact: waits for "prices"',
    ]);
  });

  it('L4: guards and progress are explained, and a part that stands still is an event', async () => {
    const kit = await createDiagnosisKit();
    kit.board.beatProgress(3, kit.clock.now());
    kit.apply({
      state: {
        failingGuards: ['heap'],
        progress: [
          { slot: 3, name: 'consumer', stallAfterMs: 2000 },
          { slot: 4, name: 'never', stallAfterMs: 2000 },
        ],
      },
    });
    kit.run(2500);
    const { probes, timeline } = await kit.document();
    expect(probes.liveness.why.map(texts)).toStrictEqual([
      ['reason: guard_failed:heap', 'fact: the guard "heap" was bad for several samples'],
      [
        'reason: progress_stalled:consumer',
        'fact: "consumer" must move every 2000 ms, and last did 2500 ms ago',
      ],
      ['reason: progress_stalled:never', 'fact: "never" must move every 2000 ms and never has'],
    ]);
    kit.board.beatProgress(3, kit.clock.now());
    kit.run(100);
    const after = await kit.document();
    const stalls = (entries: Diagnosis['timeline']) =>
      entries.filter(({ kind }) => kind === 'stall').map(({ name, to }) => `${name} ${to}`);
    expect(stalls(timeline)).toStrictEqual(['never standing', 'consumer standing']);
    expect(stalls(after.timeline)[0]).toBe('consumer moving');
  });

  it('R3: a snapshot that is too old is explained by its age', async () => {
    const kit = await createDiagnosisKit(false);
    kit.block(11_000);
    const { probes } = await kit.document();
    expect(texts(probes.readiness.why[0])).toStrictEqual([
      'reason: stale',
      'fact: the checks were last looked at 11000 ms ago, 10000 ms are allowed',
    ]);
    kit.board.setEvaluatedAt(0);
    kit.run(0);
    kit.apply({ state: {} });
    expect(texts((await kit.document()).probes.readiness.why[0]).at(-1)).toBe(
      'fact: nothing has been evaluated yet',
    );
  });
});
