import { describe, expect, it } from 'vitest';
import { decide } from '../../src/core/decision.js';
import {
  type SystemdView,
  encodeSystemd,
  extendStartup,
  pingEveryMs,
  systemdState,
} from '../../src/protocol/systemd.js';

const good = decide([], []);
const view = (changes: Partial<SystemdView> = {}): SystemdView => ({
  phase: 'running',
  startup: { complete: true, timedOut: false, remaining: [] },
  liveness: good,
  readiness: good,
  ...changes,
});
const state = (changes: Partial<SystemdView> = {}) => systemdState(view(changes), 25_000);
const starting = { complete: false, timedOut: false, remaining: ['prices', 'cache'] };

describe('E6: what systemd is told', () => {
  it('is READY with the end of start-up, whatever readiness says then', () => {
    expect(state({ phase: 'starting', startup: starting })).toEqual({
      STATUS: 'starting, 2 start-up tasks left',
    });
    const none = { ...starting, remaining: [] };
    expect(state({ startup: none })).toEqual({ STATUS: 'starting' });
    expect(state()).toEqual({ READY: '1', STATUS: 'ready' });
    expect(state({ readiness: decide(['check_failed:database'], []) })).toEqual({
      READY: '1',
      STATUS: 'not ready: check_failed:database',
    });
    expect(state({ readiness: decide([], ['check_degraded:cache']) })).toEqual({
      READY: '1',
      STATUS: 'ready, degraded: check_degraded:cache',
    });
    expect(state({ liveness: decide(['event_loop_stalled'], []) })['STATUS']).toBe(
      'wedged: event_loop_stalled',
    );
  });

  it('is not READY when start-up took too long', () => {
    const startup = { complete: false, timedOut: true, remaining: ['prices'] };
    expect(state({ startup })).toEqual({ STATUS: 'not started in time, 1 start-up task left' });
  });

  it('is STOPPING from the first moment of the drain, with the time it may take', () => {
    for (const phase of ['draining', 'stopped'] as const) {
      expect(state({ phase, startup: starting })).toEqual({
        STOPPING: '1',
        EXTEND_TIMEOUT_USEC: '30000000',
        STATUS: phase,
      });
    }
  });

  it('asks for more time only while start-up is within its budget', () => {
    expect(extendStartup(view({ startup: starting }))).toEqual({ EXTEND_TIMEOUT_USEC: '30000000' });
    expect(extendStartup(view({ startup: { ...starting, timedOut: true } }))).toEqual({});
    expect(extendStartup(view({ startup: starting, phase: 'draining' }))).toEqual({});
    expect(extendStartup(view())).toEqual({});
  });

  it('Case 46: leaves room for a sign of life that is late and one that is lost', () => {
    expect(pingEveryMs(2000) * 2).toBeLessThan(2000);
    expect(pingEveryMs(30_000)).toBe(10_000);
  });

  it('is one line for each variable, whatever a value holds', () => {
    expect(encodeSystemd({ READY: '1', STATUS: 'a\nSTOPPING=1\r\nb' })).toBe(
      'READY=1\nSTATUS=a STOPPING=1 b',
    );
  });
});
