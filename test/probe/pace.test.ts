import { describe, expect, it } from 'vitest';
import { atOnce, createPace, oneStep } from '../../src/probe/pace.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

function createKit() {
  const clock = createManualClock();
  const pace = createPace(clock);
  const log: string[] = [];
  function* work(name: string, steps: number, stepMs: number) {
    for (let step = 1; step <= steps; step += 1) {
      clock.jump(stepMs);
      log.push(`${name}${step}`);
      yield;
    }
    return name;
  }
  return { clock, pace, log, work };
}

describe('the pace of long work on the thread that answers probes', () => {
  it('E5: takes a few milliseconds of each turn, and rests as long', async () => {
    const { clock, pace, log, work } = createKit();
    const done = pace.finish(work('a', 7, 1));
    expect(log).toStrictEqual(['a1', 'a2', 'a3']);
    await clock.advance(2);
    expect(log).toHaveLength(3);
    await clock.advance(1);
    expect(log).toHaveLength(6);
    await clock.advance(10);
    expect(await done).toBe('a');
    expect(clock.pendingTimers).toBe(0);
  });

  it('E5: begins nothing else in a turn that is spent, and keeps the order', async () => {
    const { clock, pace, log, work } = createKit();
    const ended: string[] = [];
    for (const name of ['a', 'b', 'c'])
      pace.run(work(name, 2, 2), { done: (result) => ended.push(result), failed() {} });
    expect(log).toStrictEqual(['a1', 'a2']);
    await clock.advance(20);
    expect(log).toStrictEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2']);
    expect(ended).toStrictEqual(['a', 'b', 'c']);
  });

  it('E5: a step that takes long is rested from for a few milliseconds, not for as long', async () => {
    const { clock, pace, log, work } = createKit();
    pace.run(work('a', 2, 500), { done() {}, failed() {} });
    expect(log).toHaveLength(1);
    await clock.advance(6);
    expect(log).toHaveLength(2);
  });

  it('E5: counts the time of the steps alone', async () => {
    const { clock, pace, work } = createKit();
    let spent = 0;
    pace.run(work('a', 4, 2), { done: (_, spentMs) => (spent = spentMs), failed() {} });
    await clock.advance(20);
    expect(spent).toBe(8);
  });

  it('E5: what takes no time is done at once and leaves no timer', () => {
    const { clock, pace, log } = createKit();
    for (const name of ['a', 'b'])
      pace.run(
        oneStep(() => log.push(name)),
        { done() {}, failed() {} },
      );
    expect(log).toStrictEqual(['a', 'b']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('E5: a step that throws ends its own work and no other', async () => {
    const { pace, work } = createKit();
    const failed = pace.finish(
      oneStep(() => {
        throw new Error('no step');
      }),
    );
    const done = pace.finish(work('b', 1, 0));
    await expect(failed).rejects.toThrow('no step');
    expect(await done).toBe('b');
  });

  it('E5: work given by the end of other work has its turn', () => {
    const { pace, log } = createKit();
    pace.run(
      oneStep(() => 'a'),
      {
        done: () =>
          pace.run(
            oneStep(() => log.push('b')),
            { done() {}, failed() {} },
          ),
        failed() {},
      },
    );
    expect(log).toStrictEqual(['b']);
  });

  it('E5: work given within a step of other work waits for that step', () => {
    const { pace, log } = createKit();
    function* work() {
      pace.run(
        oneStep(() => log.push('b')),
        { done() {}, failed() {} },
      );
      log.push('a');
      yield;
    }
    pace.run(work(), { done() {}, failed: (error) => void log.push(String(error)) });
    expect(log).toStrictEqual(['a', 'b']);
  });

  it('E5: is none where nobody waits', () => {
    const { log, work } = createKit();
    expect(atOnce(work('a', 5, 100))).toBe('a');
    expect(log).toHaveLength(5);
  });
});
