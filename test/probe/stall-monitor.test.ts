import { describe, expect, it } from 'vitest';
import type { StackFrame, StallCause } from '../../src/core/probe-host.js';
import { createStallMonitor, describeCause } from '../../src/probe/stall-monitor.js';
import { syscallName } from '../../src/probe/syscall-names.js';
import { nextTurn } from '../../src/engine/system-clock.js';

const busy: StackFrame = { functionName: 'busy', file: '/app/busy.js', line: 3, column: 5 };
const inner: StackFrame = { functionName: 'emit', file: 'node:events', line: 1, column: 1 };

function createKit(capture: () => Promise<StallCause>) {
  const told: string[] = [];
  const monitor = createStallMonitor({
    capture,
    log: (_level, event, _fields, message) => told.push(`${event}: ${message}`),
    onStall: ({ cause }) => told.push(`stall ${cause.kind}`),
    onStallEnd: ({ blockedForMs }) => told.push(`end ${blockedForMs}`),
    onError: (error) => told.push(`error ${String(error)}`),
  });
  return { monitor, told };
}

describe('the stall monitor', () => {
  it('L7: logs the first frame of a file, then how long it lasted, in order', async () => {
    const { monitor, told } = createKit(async () => ({
      kind: 'javascript',
      frames: [inner, busy],
    }));
    monitor.begin(1000.4);
    await nextTurn();
    monitor.end(2000.4);
    await nextTurn();
    expect(told).toStrictEqual([
      'event_loop_blocked: event loop blocked by busy (/app/busy.js:3:5)',
      'stall javascript',
      'event_loop_resumed: event loop turns again after 2000 ms',
      'end 2000.4',
    ]);
  });

  it('L7: a stall that ends before it was looked at names no innocent', async () => {
    const { monitor, told } = createKit(async () => ({ kind: 'javascript', frames: [busy] }));
    monitor.begin(1000);
    monitor.end(1010);
    await nextTurn();
    expect(told).toContain('stall unavailable');
    expect(told.join()).not.toContain('busy');
  });

  it('L7: an error while looking is contained, and the end is still told', async () => {
    const { monitor, told } = createKit(() => Promise.reject(new Error('broken')));
    monitor.begin(1000);
    await nextTurn();
    monitor.end(1100);
    await nextTurn();
    expect(told).toContain('error Error: broken');
    expect(told).toContain('end 1100');
  });

  it.each<[StallCause, string]>([
    [
      {
        kind: 'native',
        kernel: {
          state: 'S',
          syscall: '232',
          syscallName: 'epoll_wait',
          childProcesses: ['sleep 3'],
        },
      },
      'event loop blocked in native code, in epoll_wait, waiting for sleep 3',
    ],
    [
      { kind: 'native', kernel: { state: 'R', syscall: 'running' } },
      'event loop blocked in native code, computing',
    ],
    [
      { kind: 'native', kernel: { syscall: '999' } },
      'event loop blocked in native code, in system call 999',
    ],
    [{ kind: 'native', kernel: {} }, 'event loop blocked in native code, in an unknown place'],
    [
      { kind: 'native', kernel: { syscallName: 'futex', syscall: '202' }, frames: [busy] },
      'event loop blocked in native code, in futex, called by busy (/app/busy.js:3:5)',
    ],
    [{ kind: 'javascript', frames: [] }, 'event loop blocked by code that is on no stack'],
  ])('L7: describes %j', (cause, text) => expect(describeCause(cause)).toBe(text));
});

describe('system call names', () => {
  it('L7: follow the architecture', () => {
    expect(syscallName('232', 'x64')).toBe('epoll_wait');
    expect(syscallName('98', 'arm64')).toBe('futex');
    expect(syscallName('98', 'ia32')).toBeUndefined();
    expect(syscallName('running', 'x64')).toBeUndefined();
    expect(syscallName(undefined, 'x64')).toBeUndefined();
  });
});
