import { describe, expect, it } from 'vitest';
import { createDrainTerminal } from '../../src/engine/drain-terminal.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

describe('drain at a terminal', () => {
  it('D2: tells a person what has ended and, each second, what has not', async () => {
    const clock = createManualClock();
    const lines: string[] = [];
    const terminal = createDrainTerminal({
      clock,
      write: (line) => void lines.push(line),
      open: () => ['GET /slow for 2.0 s'],
    });
    terminal.tell({
      kind: 'begin',
      reason: 'SIGINT',
      propagationDelayMs: 1000,
      deadlineMs: 25_000,
      inFlight: 1,
    });
    terminal.tell({ kind: 'step_begin', step: 'propagation', limitMs: 1500 });
    await clock.advance(1500);
    terminal.tell({
      kind: 'step_end',
      step: 'propagation',
      ended: 'done',
      durationMs: 1500,
      open: [],
    });
    terminal.tell({ kind: 'step_begin', step: 'in_flight', limitMs: 3000 });
    await clock.advance(2500);
    const open = ['GET /slow for 4.0 s'];
    terminal.tell({ kind: 'step_end', step: 'in_flight', ended: 'cut', durationMs: 3000, open });
    terminal.tell({ kind: 'step_end', step: 'closers', ended: 'done', durationMs: 3, open: [] });
    terminal.tell({ kind: 'end', reason: 'SIGINT', exitCode: 1, durationMs: 4503 });
    expect(lines).toEqual([
      'hale: SIGINT: not ready any more, 1 in flight, at most 25.0 s left (Ctrl+C ends it at once)\n',
      'hale: serving on while load balancers learn of it, at most 0.5 s more\n',
      'hale: serving on while load balancers learn of it: done in 1.5 s\n',
      'hale: finishing what is in flight, at most 2.0 s more: GET /slow for 2.0 s\n',
      'hale: finishing what is in flight, at most 1.0 s more: GET /slow for 2.0 s\n',
      'hale: finishing what is in flight: cut, GET /slow for 4.0 s\n',
      'hale: drained in 4.5 s, exit code 1\n',
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves no timer behind', () => {
    const clock = createManualClock();
    const terminal = createDrainTerminal({ clock, write() {}, open: () => [] });
    terminal.tell({ kind: 'step_begin', step: 'closers', limitMs: 3000 });
    expect(clock.pendingTimers).toBe(1);
    terminal.dispose();
    expect(clock.pendingTimers).toBe(0);
  });
});
