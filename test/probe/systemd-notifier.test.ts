import { describe, expect, it } from 'vitest';
import { decide } from '../../src/core/decision.js';
import { createSystemdNotifier } from '../../src/probe/systemd-notifier.js';
import type { SystemdView } from '../../src/protocol/systemd.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

const good = decide([], []);
const READY: SystemdView['startup'] = { complete: true, timedOut: false, remaining: [] };
const STARTING: SystemdView['startup'] = {
  complete: false,
  timedOut: false,
  remaining: ['prices'],
};

/** A notifier on an injected clock, and every message it sent. */
function createKit(notify: { watchdogMs?: number; watchdogPid?: number } = {}, startup = READY) {
  const clock = createManualClock();
  const kit = {
    clock,
    sent: [] as string[],
    errors: [] as unknown[],
    view: { phase: 'running', startup, liveness: good, readiness: good } as SystemdView,
    /** How a message ends. */
    deliver: async (): Promise<void> => {},
    set(changes: Partial<SystemdView>) {
      kit.view = { ...kit.view, ...changes };
      notifier.look();
    },
    pings: () => kit.sent.filter((message) => message.includes('WATCHDOG=1')).length,
    close: () => notifier.close(),
  };
  const notifier = createSystemdNotifier({
    notify: { stopWithinMs: 25_000, ...notify },
    view: () => kit.view,
    send: (message) => {
      kit.sent.push(message);
      return kit.deliver();
    },
    pid: 42,
    clock,
    onError: (error) => kit.errors.push(error),
  });
  notifier.look();
  return kit;
}

describe('E6: the systemd notifier', () => {
  it('tells each change once', async () => {
    const kit = createKit({}, STARTING);
    await kit.clock.settle();
    expect(kit.sent).toEqual([
      'EXTEND_TIMEOUT_USEC=30000000',
      'STATUS=starting, 1 start-up task left',
    ]);
    kit.set({ startup: READY });
    kit.set({});
    await kit.clock.settle();
    expect(kit.sent.slice(2)).toEqual(['READY=1\nSTATUS=ready']);
    kit.set({ phase: 'draining' });
    await kit.clock.settle();
    expect(kit.sent.slice(3)).toEqual([
      'STOPPING=1\nEXTEND_TIMEOUT_USEC=30000000\nSTATUS=draining',
    ]);
    expect(kit.errors).toEqual([]);
  });

  it('asks for time while starting, and for no more once started', async () => {
    const kit = createKit({}, STARTING);
    await kit.clock.advance(20_000);
    expect(kit.sent.filter((message) => message.includes('EXTEND'))).toHaveLength(3);
    kit.set({ startup: READY });
    await kit.clock.advance(60_000);
    expect(kit.sent.filter((message) => message.includes('EXTEND'))).toHaveLength(3);
    expect(kit.clock.pendingTimers).toBe(0);
  });

  it('Case 46: gives three signs of life a period, but none before READY', async () => {
    const kit = createKit({ watchdogMs: 3000, watchdogPid: 42 }, STARTING);
    await kit.clock.advance(5000);
    expect(kit.pings()).toBe(0);
    kit.set({ startup: READY });
    await kit.clock.advance(30_000);
    expect(kit.pings()).toBe(30);
  });

  it('L8: gives none while liveness fails, and goes on while draining', async () => {
    const kit = createKit({ watchdogMs: 3000 });
    await kit.clock.advance(3000);
    const before = kit.pings();
    kit.set({ liveness: decide(['event_loop_stalled'], []) });
    await kit.clock.advance(10_000);
    expect(kit.pings()).toBe(before);
    kit.set({ liveness: good, phase: 'draining', readiness: decide(['draining'], []) });
    await kit.clock.advance(3000);
    expect(kit.pings()).toBe(before + 3);
  });

  it('Case 46: says so when the watchdog is for another process, as behind npm', async () => {
    const kit = createKit({ watchdogMs: 3000, watchdogPid: 41 });
    await kit.clock.advance(30_000);
    expect(kit.pings()).toBe(0);
    expect(kit.errors).toMatchObject([{ message: expect.stringContaining('process 41') }]);
  });

  it('has one message under way, and of what changes meanwhile tells the last', async () => {
    const kit = createKit();
    await kit.clock.settle();
    let deliver = (): void => {};
    kit.deliver = () => new Promise((resolve) => (deliver = resolve));
    const failing = (name: string) => ({ readiness: decide([`check_failed:${name}`], []) });
    kit.set(failing('a'));
    kit.set(failing('b'));
    kit.set(failing('c'));
    await kit.clock.settle();
    expect(kit.sent.slice(1)).toEqual(['STATUS=not ready: check_failed:a']);
    deliver();
    await kit.clock.settle();
    expect(kit.sent.slice(2)).toEqual(['STATUS=not ready: check_failed:c']);
  });

  it('tells again what did not get away, says so once, and makes up for no sign of life', async () => {
    const kit = createKit({}, STARTING);
    await kit.clock.settle();
    kit.deliver = () => Promise.reject(new Error('no such program'));
    kit.sent.length = 0;
    kit.set({ startup: READY });
    await kit.clock.advance(2500);
    expect(kit.sent).toHaveLength(3);
    expect(kit.errors).toHaveLength(1);
    kit.deliver = async () => {};
    await kit.clock.advance(1000);
    expect(kit.sent.at(-1)).toBe('READY=1\nSTATUS=ready');
    const { length } = kit.sent;
    await kit.clock.advance(5000);
    expect(kit.sent).toHaveLength(length);
    await kit.close();
    expect(kit.clock.pendingTimers).toBe(0);
  });

  it('leaves no timer and sends nothing once closed', async () => {
    const kit = createKit({ watchdogMs: 3000 });
    await kit.clock.advance(1000);
    await kit.close();
    const { length } = kit.sent;
    kit.set({ phase: 'draining' });
    await kit.clock.advance(10_000);
    expect(kit.sent).toHaveLength(length);
    expect(kit.clock.pendingTimers).toBe(0);
  });
});
