import { closeSync, openSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { createGuard } from '../../src/core/guard.js';
import { type ProbeState, applyUpdate, initialProbeState } from '../../src/core/probe-state.js';
import { startGuardSampler } from '../../src/engine/guard-sampler.js';
import { softLimitOf } from '../../src/core/file-limit.js';
import { fileDescriptorsBelow, heapBelow, rssBelow } from '../../src/engine/guards/index.js';
import { limitAmount } from '../../src/core/limit.js';
import { createPublisher } from '../../src/engine/publisher.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from './support.js';

function setUp(isSound: () => boolean) {
  const clock = createManualClock();
  const log = createLog();
  let state: ProbeState = initialProbeState;
  const publisher = createPublisher({
    publish: (update) => void (state = applyUpdate(state, update)),
    onError() {},
  });
  const guards = [createGuard('memory', { isSound, samples: 3, everyMs: 5000 })];
  const sampler = startGuardSampler({
    guards,
    clock,
    publisher,
    logger: log.logger,
    redact: (text) => text,
  });
  return { clock, log, sampler, failing: () => state.failingGuards };
}

describe('guard sampler', () => {
  it('L5: fails liveness only after several bad samples in a row, and recovers', async () => {
    let sound = true;
    const { clock, log, failing, sampler } = setUp(() => sound);
    sound = false;
    await clock.advance(14_999);
    expect(failing()).toEqual([]);
    await clock.advance(1);
    expect(failing()).toEqual(['memory']);
    sound = true;
    await clock.advance(5000);
    expect(failing()).toEqual([]);
    expect(log.lines.map(({ fields }) => [fields['event'], fields['lastedMs']])).toEqual([
      ['guard_failed', undefined],
      ['guard_recovered', 5000],
    ]);
    sampler.dispose();
    expect(clock.pendingTimers).toBe(0);
  });

  it('L5: single bad samples are noise', async () => {
    let count = 0;
    const { clock, failing, log } = setUp(() => count++ % 3 === 0);
    await clock.advance(300_000);
    expect(failing()).toEqual([]);
    expect(log.lines).toEqual([]);
  });

  it('L5: a guard that throws never fails liveness and is logged once per change', async () => {
    let text: string | undefined;
    const { clock, failing, log } = setUp(() => {
      if (text !== undefined) throw new Error(text);
      return true;
    });
    text = 'no /proc';
    await clock.advance(60_000);
    text = 'still no /proc';
    await clock.advance(60_000);
    expect(failing()).toEqual([]);
    expect(log.lines.map(({ fields }) => fields['output'])).toEqual(['no /proc', 'still no /proc']);
  });
});

describe('ready-made guards', () => {
  it('L5: resident memory against bytes and against the limit', () => {
    expect(rssBelow('100%').isSound()).toBe(true);
    expect(rssBelow(1).isSound()).toBe(false);
    expect(rssBelow(Number.MAX_SAFE_INTEGER).isSound()).toBe(true);
  });

  it('L5: heap against the limit of V8, not against its present size', () => {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    expect(heapBelow('100%').isSound()).toBe(true);
    expect(heapBelow(used / 2).isSound()).toBe(false);
    expect(heapBelow(limit).isSound()).toBe(true);
  });

  it('L5: open file descriptors against a number and the soft limit', () => {
    const files = Array.from({ length: 60 }, () => openSync('/dev/null', 'r'));
    try {
      expect(fileDescriptorsBelow(60).isSound()).toBe(false);
      expect(fileDescriptorsBelow('100%').isSound()).toBe(true);
    } finally {
      for (const file of files) closeSync(file);
    }
    expect(
      softLimitOf('Max open files            1024                 524288               files'),
    ).toBe(1024);
    expect(
      softLimitOf('Max open files            unlimited            unlimited            files'),
    ).toBe(Infinity);
  });

  it.each(['90', '0%', '101%', 0, -1, Number.NaN, null])('refuses the limit %s', (limit) => {
    expect(() => limitAmount('rssBelow', limit as number, 100)).toThrow(
      'rssBelow must be a percentage such as "90%"',
    );
  });

  it('takes a percentage of what there is', () => {
    expect([
      limitAmount('x', '90%', 200),
      limitAmount('x', '12.5%', 200),
      limitAmount('x', 7, 200),
    ]).toEqual([180, 25, 7]);
  });
});
