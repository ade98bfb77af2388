import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BoundAddress, StallReport } from '../../src/core/probe-host.js';
import { bundleProgram, type Program, startProgram } from '../support/program.js';
import { probe, probeOptions, type Seen } from '../support/probing.js';

let bundle: Awaited<ReturnType<typeof bundleProgram>>;
let program: Program;
let port: number;

beforeAll(async () => {
  bundle = await bundleProgram('probe-service');
});
afterAll(() => bundle.remove());
afterEach(() => program.stop());

async function startService(execArgv: readonly string[] = []): Promise<void> {
  const options = probeOptions({ stallAfterMs: 1000 });
  program = startProgram(bundle.file, { args: [JSON.stringify(options)], execArgv });
  const { addresses } = await program.message('listening');
  port = (addresses as BoundAddress[])[0]?.port ?? 0;
}

async function livenessUntil(ms: number): Promise<Seen[]> {
  const seen: Seen[] = [];
  const end = performance.now() + ms;
  while (performance.now() < end) {
    seen.push(await probe(port, '/livez'));
    await delay(20);
  }
  return seen;
}

/** Not the maximum: the prober itself may have to wait for a busy test machine. */
function median(seen: readonly Seen[]): number {
  const sorted = seen.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Infinity;
}

async function firstStall(): Promise<StallReport> {
  const { report } = await program.message('stall');
  return report as StallReport;
}

describe('a main loop that does not turn', () => {
  it('L3 L8: is answered for in time, then as 503, with the culprit logged during the block', async () => {
    await startService();
    expect((await probe(port, '/livez')).status).toBe(200);
    program.send({ do: 'block', ms: 3000 });
    await delay(100);
    const before = await livenessUntil(600);
    expect(before.map(({ status }) => status)).toStrictEqual(before.map(() => 200));
    const reason = await program.log('liveness_failed', 1500);
    expect(reason).toMatchObject({ reason: 'event_loop_stalled', level: 'error' });
    const during = await livenessUntil(300);
    expect(during.length).toBeGreaterThan(3);
    expect(during.map(({ status, reason: code }) => `${status} ${code}`)).toStrictEqual(
      during.map(() => '503 event_loop_stalled'),
    );
    expect(median(before)).toBeLessThan(50);
    expect(median(during)).toBeLessThan(50);
    const culprit = await program.log('event_loop_blocked', 500);
    expect(culprit).toMatchObject({ functionName: 'blockTheLoop', cause: { kind: 'javascript' } });
    expect(culprit['file']).toMatch(/probe-service/);
    expect(culprit['line']).toBeGreaterThan(1);
    expect(program.messages.some(({ event }) => event === 'done')).toBe(false);
  });

  it('L7: reports the end and how long it lasted, and liveness passes again', async () => {
    await startService();
    program.send({ do: 'block', ms: 2000 });
    const report = await firstStall();
    expect(report.blockedForMs).toBeGreaterThanOrEqual(1000);
    const { end } = await program.message('stall-end');
    const { blockedForMs } = end as { blockedForMs: number };
    expect(blockedForMs).toBeGreaterThan(1700);
    expect(blockedForMs).toBeLessThan(2400);
    await program.log('event_loop_resumed');
    expect((await probe(port, '/livez')).status).toBe(200);
    const events = program.logs().map(({ event }) => event);
    expect(events).toStrictEqual(['liveness_failed', 'event_loop_blocked', 'event_loop_resumed']);
  });

  it('L8: sleeping in Atomics.wait is native, with the call, its caller, and a clean return', async () => {
    await startService();
    program.send({ do: 'wait', ms: 2500 });
    const { cause } = await firstStall();
    if (cause.kind !== 'native') throw new Error(JSON.stringify(cause));
    expect(cause.kernel).toMatchObject({ state: 'S', syscallName: 'futex' });
    expect(cause.frames?.some(({ functionName }) => functionName === 'obey')).toBe(true);
    await program.message('done');
    await program.log('event_loop_resumed');
    expect((await probe(port, '/livez')).status).toBe(200);
  });

  it('L8: waiting for a child process is native, and the child is named', async () => {
    await startService();
    program.send({ do: 'sleep', seconds: 2.5 });
    const { cause } = await firstStall();
    if (cause.kind !== 'native') throw new Error(JSON.stringify(cause));
    expect(cause.kernel.state).toBe('S');
    expect(cause.kernel.syscallName).toMatch(/epoll/);
    expect(cause.kernel.childProcesses).toContain('sleep 2.5');
    await program.message('done');
    await program.log('event_loop_resumed');
    program.send({ do: 'dispose' });
    expect(await program.exit()).toBe(0);
  });

  it('L9: SIGSTOP for longer than the bound and SIGCONT is no stall', async () => {
    await startService();
    await livenessUntil(300);
    process.kill(program.pid, 'SIGSTOP');
    await delay(5000);
    process.kill(program.pid, 'SIGCONT');
    const after = await livenessUntil(1500);
    expect(after.length).toBeGreaterThan(20);
    expect(after.map(({ status }) => status)).toStrictEqual(after.map(() => 200));
    expect(program.logs()).toStrictEqual([]);
  });

  it('L6: under the permission model, where asking for the stack would end the process, is reported without it', async () => {
    const flags = process.allowedNodeEnvironmentFlags;
    const permission = flags.has('--permission') ? '--permission' : '--experimental-permission';
    await startService([permission, '--allow-fs-read=*', '--allow-worker']);
    program.send({ do: 'block', ms: 1800 });
    const report = await firstStall();
    expect(report.cause).toMatchObject({
      kind: 'unavailable',
      why: expect.stringContaining('permission model') as string,
    });
    expect((await probe(port, '/livez')).status).toBe(200);
  });
});
