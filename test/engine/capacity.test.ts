import { describe, expect, it } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

describe('capacity', () => {
  it('R8: readiness turns at_capacity at the ceiling and is back at the lower limit', async () => {
    const clock = createManualClock();
    await using health = createHealth({
      clock,
      isolation: 'inline',
      probes: false,
      diagnostic: false,
      signals: false,
      env: {},
      logger: { info() {}, warn() {}, error() {} },
      capacity: { leaveAt: 3, reenterAt: 1, leaveAfterMs: 0, reenterAfterMs: 0 },
    });
    await health.start();
    await clock.advance(10);
    const reason = () => health.report().readiness.reason;
    const ends = [health.working('a'), health.working('b')];
    const seen = [reason()];
    ends.push(health.working('c'));
    seen.push(reason());
    for (const end of ends) {
      end();
      seen.push(reason());
    }
    expect(seen).toEqual(['ok', 'at_capacity', 'at_capacity', 'ok', 'ok']);
    expect(health.report().liveness.status).toBe('pass');
  });

  it('R8: limits that would oscillate are refused when hale is created', () => {
    expect(() => createHealth({ env: {}, capacity: { leaveAt: 5, reenterAt: 5 } })).toThrow(
      'capacity.reenterAt must be below capacity.leaveAt (5), got 5',
    );
  });
});
