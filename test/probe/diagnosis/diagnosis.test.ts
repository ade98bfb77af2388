import { describe, expect, it } from 'vitest';
import type { CheckDiagnosis, Diagnosis, WhyStep } from '../../../src/core/diagnosis.js';
import { LEASE_OUTCOMES, type LeaseView } from '../../../src/core/lease-host.js';
import type { CheckView, LastOutcome } from '../../../src/core/probe-state.js';
import type { StallCause } from '../../../src/core/probe-host.js';
import { checkView, groupOf, pendingCheckView } from '../../core/probe-state-builders.js';
import { createLateDiagnosis } from '../../../src/probe/diagnosis/late-diagnosis.js';
import { probeOptions } from '../../support/probing.js';
import { type DiagnosisKit, SAMPLE, createDiagnosisKit, problemsOf } from './diagnosis-kit.js';

/** A run of a check that has just ended. */
function ran(
  kit: DiagnosisKit,
  name: string,
  runs: number,
  outcome: Partial<LastOutcome> = {},
  change: Partial<CheckView> = {},
): CheckView {
  const { clock } = kit;
  const last = { status: 'pass', wallAt: clock.wallNow(), durationMs: 4, ...outcome } as const;
  const ranAt = clock.now();
  return checkView(name, {
    runs,
    ranAt,
    freshUntil: ranAt + 18_000,
    verdict: last.status,
    last,
    ...change,
  });
}

function checkOf(document: Diagnosis, name: string): CheckDiagnosis {
  const check = document.checks.find((each) => each.name === name);
  if (check === undefined) throw new Error(`no check ${name}`);
  return check;
}

const texts = (chain: readonly WhyStep[] | undefined): string[] =>
  (chain ?? []).map(({ kind, text }) => `${kind}: ${text}`);

describe('the diagnosis', () => {
  it('E4: of a service without checks is complete, and says nothing is wrong', async () => {
    const kit = await createDiagnosisKit();
    const document = await kit.document();
    expect(problemsOf(document)).toStrictEqual([]);
    expect(document).toMatchObject({
      schema: 1,
      at: '2026-01-01T00:00:00.000Z',
      phase: 'running',
      instance: { pid: process.pid, nodeVersion: process.version },
      checks: [],
      timeline: [],
      leases: [],
      process: { loopStalled: false, inFlight: 0, snapshotAgeMs: 0, loopBeatAgeMs: 0 },
    });
    for (const probe of Object.values(document.probes))
      expect(probe).toStrictEqual({ status: 'pass', httpStatus: 200, reason: 'ok', why: [] });
    expect(kit.errors).toStrictEqual([]);
  });

  it('E4: tells why a probe fails, from the reason down to the error', async () => {
    const kit = await createDiagnosisKit();
    kit.apply({ checks: [ran(kit, 'database', 1)] });
    kit.run(5000);
    const streak = { to: 'fail', count: 1, needed: 2 } as const;
    const error = { status: 'fail', code: 'error', output: 'connection refused' } as const;
    kit.apply({ checks: [ran(kit, 'database', 2, error, { verdict: 'pass', streak })] });
    expect(checkOf(await kit.document(), 'database')).toMatchObject({
      verdict: 'pass',
      threshold: streak,
    });
    kit.run(1000);
    const recovery = { to: 'pass', count: 1, needed: 4 } as const;
    kit.apply({ checks: [ran(kit, 'database', 3, error, { streak: recovery })] });
    kit.run(500);
    const document = await kit.document();
    expect(problemsOf(document)).toStrictEqual([]);
    const { readiness, liveness } = document.probes;
    expect(readiness).toMatchObject({
      status: 'fail',
      httpStatus: 503,
      reason: 'check_failed:database',
      since: '2026-01-01T00:00:06.000Z',
    });
    expect(liveness.why).toStrictEqual([]);
    expect(texts(readiness.why[0])).toStrictEqual([
      'reason: check_failed:database',
      'verdict: "database" (critical) is at fail; 1 of 4 runs that would turn it to pass',
      'outcome: fail after 4 ms',
      'outcome: fail after 4 ms',
      'outcome: pass after 4 ms',
      'error: error: connection refused',
    ]);
    expect(checkOf(document, 'database')).toMatchObject({
      verdict: 'fail',
      since: '2026-01-01T00:00:06.000Z',
      code: 'error',
      output: 'connection refused',
      ageMs: 500,
      lastDurationMs: 4,
      recent: [{ status: 'pass' }, { status: 'fail' }, { status: 'fail' }],
      history: [{ at: '2026-01-01T00:00:00.000Z', runs: 3, failed: 2, warned: 0, meanMs: 4 }],
    });
    expect(document.timeline).toStrictEqual([
      {
        at: '2026-01-01T00:00:06.000Z',
        kind: 'probe',
        name: 'readiness',
        from: 'pass',
        to: 'fail',
        lastedMs: 6000,
        text: 'check_failed:database',
      },
      {
        at: '2026-01-01T00:00:06.000Z',
        kind: 'check',
        name: 'database',
        from: 'pass',
        to: 'fail',
        lastedMs: 6000,
        text: 'connection refused',
      },
    ]);
  });

  it('R3: a result that has expired is told, and so is its return', async () => {
    const kit = await createDiagnosisKit();
    kit.apply({ checks: [ran(kit, 'old', 1)] });
    kit.run(19_000);
    const expired = await kit.document();
    expect(checkOf(expired, 'old')).toMatchObject({ verdict: 'unknown', ageMs: 19_000 });
    expect(texts(expired.probes.readiness.why[0])).toStrictEqual([
      'reason: stale:old',
      'verdict: the last result of "old" (critical) is 19 s old and does not count any more',
      'outcome: pass after 4 ms',
    ]);
    kit.apply({ checks: [ran(kit, 'old', 2)] });
    kit.run(100);
    const { timeline } = await kit.document();
    expect(timeline.map(({ name, from, to }) => `${name} ${from} ${to}`)).toStrictEqual([
      'readiness fail pass',
      'old unknown pass',
      'readiness pass fail',
      'old pass unknown',
    ]);
  });

  it('R5: a check that never ran has neither threshold nor age', async () => {
    const kit = await createDiagnosisKit();
    kit.apply({ checks: [pendingCheckView('new', { runs: 0 })] });
    const document = await kit.document();
    expect(checkOf(document, 'new')).toStrictEqual({
      name: 'new',
      impact: 'critical',
      verdict: 'unknown',
      runs: 0,
      abandoned: 0,
      hanging: 0,
      transitions: 0,
      recent: [],
      history: [],
    });
    expect(texts(document.probes.readiness.why[0])).toStrictEqual([
      'reason: check_pending:new',
      'verdict: "new" (critical) has never finished a run',
    ]);
  });

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

  it('L3 L7: a stall is told while it lasts, with what blocks, and after it', async () => {
    const kit = await createDiagnosisKit();
    kit.run(500);
    kit.block(2000);
    const cause: StallCause = {
      kind: 'native',
      kernel: { syscall: '61', childProcesses: ['psql postgres://app:hunter2@db\u001b[2J'] },
      frames: [{ functionName: 'run', file: '/srv/app.js', line: 3, column: 7 }],
    };
    kit.late.explainStall({ blockedForMs: 1000, cause });
    const during = await kit.document();
    expect(problemsOf(during)).toStrictEqual([]);
    expect(during.process).toMatchObject({ loopStalled: true, loopBeatAgeMs: 2000 });
    expect(during.stall).toMatchObject({
      at: '2026-01-01T00:00:00.500Z',
      blockedForMs: 2000,
      ongoing: true,
      cause: { kernel: { childProcesses: ['psql postgres://[redacted]@db [2J'] } },
    });
    expect(JSON.stringify(during)).not.toContain('hunter2');
    expect(texts(during.probes.liveness.why[0])).toStrictEqual([
      'reason: event_loop_stalled',
      'fact: the main loop has not turned for 2000 ms, 1000 ms are allowed',
      expect.stringContaining('called by run (/srv/app.js:3:7)'),
    ]);
    kit.run(200);
    const after = await kit.document();
    expect(after.stall).toMatchObject({ ongoing: false, blockedForMs: 2100 });
    const loop = after.timeline.filter(({ kind }) => kind === 'stall');
    expect(loop).toMatchObject([
      { name: 'main loop', from: 'standing', to: 'turning', lastedMs: 2100 },
      {
        name: 'main loop',
        from: 'turning',
        to: 'standing',
        text: expect.stringContaining('psql postgres://[redacted]@db'),
      },
    ]);
  });

  it('L7: a stall that nothing is known of yet says so', async () => {
    const kit = await createDiagnosisKit();
    kit.block(1500);
    const { stall } = await kit.document();
    expect(stall?.cause).toStrictEqual({ kind: 'unavailable', why: 'it is being looked at' });
  });

  it('H3: leases are told with their token and the time that is left of it', async () => {
    const kit = await createDiagnosisKit();
    const outcomes = Object.fromEntries(
      LEASE_OUTCOMES.map((each) => [each, 0]),
    ) as LeaseView['outcomes'];
    const lease: LeaseView = {
      name: 'orders',
      backend: 'postgres',
      holder: 'a',
      impact: 'critical',
      state: 'acquiring',
      outcomes,
    };
    const gates = { leaseLost: true, maintenance: false, atCapacity: false };
    kit.apply({ state: { leases: [lease], gates } });
    const waiting = await kit.document();
    expect(texts(waiting.probes.readiness.why[0])).toStrictEqual([
      'reason: lease_lost',
      'fact: the lease "orders" in postgres is acquiring',
    ]);
    kit.run(3000);
    const held = { ...lease, state: 'held', fence: '42', remainingMs: 20_000 } as const;
    kit.apply({ state: { leases: [held], gates: { ...gates, leaseLost: false } } });
    kit.run(5000);
    const document = await kit.document();
    expect(problemsOf(document)).toStrictEqual([]);
    expect(document.leases).toMatchObject([{ state: 'held', fence: '42', remainingMs: 15_000 }]);
    expect(document.timeline).toContainEqual({
      at: '2026-01-01T00:00:03.000Z',
      kind: 'lease',
      name: 'orders',
      from: 'acquiring',
      to: 'held',
      lastedMs: 3000,
      text: 'token 42',
    });
    kit.apply({ state: { leases: [] } });
    kit.apply({ state: { leases: [lease] } });
    const { timeline } = await kit.document();
    expect(timeline.filter(({ kind }) => kind === 'lease')).toHaveLength(1);
  });

  it('D1: the drain is told with its steps, its time and what it waits for', async () => {
    const kit = await createDiagnosisKit();
    kit.board.setPhase('draining');
    const drain = {
      reason: 'SIGTERM',
      since: kit.clock.wallNow(),
      deadlineAt: kit.clock.now() + 25_000,
      steps: [{ step: 'in_flight', state: 'running' }],
      open: ['GET /slow for 1.0 s'],
    } as const;
    kit.apply({ state: { drain } });
    kit.run(5000);
    const document = await kit.document();
    expect(problemsOf(document)).toStrictEqual([]);
    expect(document.drain).toStrictEqual({
      reason: 'SIGTERM',
      since: '2026-01-01T00:00:00.000Z',
      leftMs: 20_000,
      steps: [{ step: 'in_flight', state: 'running' }],
      open: ['GET /slow for 1.0 s'],
    });
    expect(texts(document.probes.readiness.why[0])).toStrictEqual([
      'reason: draining',
      'fact: draining: SIGTERM; at most 20 s left',
      'fact: waits for GET /slow for 1.0 s',
    ]);
    expect(document.timeline.at(-1)).toMatchObject({
      kind: 'phase',
      from: 'running',
      to: 'draining',
    });
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

  it('E7: hostile texts stay JSON, and steer neither a terminal nor a line', async () => {
    const kit = await createDiagnosisKit();
    const hostile = '<script>alert("1")</script>\r\n\u001b[31m\u202eevil\u2028\ud800 \'"\\';
    const service = { version: hostile, releaseId: hostile };
    const drain = { reason: hostile, since: 1, deadlineAt: 1, steps: [], open: [hostile] };
    const gates = { fatal: hostile, leaseLost: false, maintenance: false, atCapacity: false };
    kit.board.setPhase('draining');
    kit.apply({
      state: { service, drain, gates, findings: [hostile] },
      checks: [ran(kit, 'database', 1, { status: 'fail', output: hostile, observedUnit: hostile })],
    });
    const { checks: _checks, ...document } = await kit.document();
    expect(problemsOf({ ...document, checks: _checks })).toStrictEqual([]);
    const all: string[] = [];
    JSON.stringify({ ...document, _checks }, (_key, value: unknown) => {
      if (typeof value === 'string') all.push(value);
      return value;
    });
    expect(all.filter((text) => text.includes('evil')).length).toBeGreaterThan(5);
    // oxlint-disable-next-line no-control-regex
    expect(all.filter((text) => /[\u0000-\u001f\u007f-\u009f\u2028\u202e]/.test(text))).toEqual([]);
  });

  it('E4: 200 checks are told, in their order', async () => {
    const kit = await createDiagnosisKit();
    const names = Array.from({ length: 200 }, (_, index) => `check-${index}`);
    kit.apply({ checks: names.map((name) => ran(kit, name, 1, { status: 'fail' })) });
    const document = await kit.document();
    expect(problemsOf(document)).toStrictEqual([]);
    expect(document.checks.map(({ name }) => name)).toStrictEqual(names);
    expect(document.probes.readiness.why).toHaveLength(200);
  });

  it('E4: what is not wanted of the history is left out', async () => {
    const kit = await createDiagnosisKit();
    kit.apply({ checks: [ran(kit, 'database', 1)] });
    const lean = await kit.late.document({ history: false });
    expect(lean?.checks[0]).toMatchObject({ history: [], recent: [{ status: 'pass' }] });
  });
});

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
    const { board, clock, model } = await createDiagnosisKit();
    const onError = (error: unknown): never => {
      throw error;
    };
    const options = probeOptions();
    const late = createLateDiagnosis({ board, clock, options, watchesLoop: true, onError });
    await late.open(model);
    late.apply({});
    late.look();
    expect(late.document({})).toBeUndefined();
    expect(late.streams).toBeUndefined();
  });

  it('E4: is an error that is told, and the probes go on', async () => {
    const kit = await createDiagnosisKit();
    kit.late.apply({ checks: [null as unknown as CheckView] });
    expect(kit.errors).toMatchObject([{ name: 'TypeError' }]);
    expect(kit.model.answer('liveness', kit.clock.now()).status).toBe(200);
    expect((await kit.document()).probes.liveness.status).toBe('pass');
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
