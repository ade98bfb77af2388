import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LEASE_OUTCOMES, type LeaseView } from '../../../src/core/lease-host.js';
import type { StallCause } from '../../../src/core/probe-host.js';
import { pendingCheckView } from '../../core/probe-state-builders.js';
import { checkOf, createDiagnosisKit, problemsOf, ran, texts } from './diagnosis-kit.js';

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
    expect(document.probes.readiness.moreReasons).toBeUndefined();
  });

  it('E4: of thousands of reasons the first are explained, and the others are counted', async () => {
    const kit = await createDiagnosisKit();
    const names = Array.from({ length: 1000 }, (_, index) => `check-${index}`);
    kit.apply({ checks: names.map((name) => ran(kit, name, 1, { status: 'fail' })) });
    const document = await kit.document();
    expect(problemsOf(document)).toStrictEqual([]);
    expect(document.checks).toHaveLength(1000);
    const { why, moreReasons } = document.probes.readiness;
    expect([why.length, moreReasons]).toStrictEqual([200, 800]);
  });

  it('E4: names the version of hale that made it', async () => {
    const kit = await createDiagnosisKit();
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await kit.document()).instance.haleVersion).toBe(version);
  });

  it('E4: what is not wanted of the history is left out', async () => {
    const kit = await createDiagnosisKit();
    kit.apply({ checks: [ran(kit, 'database', 1)] });
    const lean = await kit.late.document({ history: false });
    expect(lean?.checks[0]).toMatchObject({ history: [], recent: [{ status: 'pass' }] });
  });
});
