import { describe, expect, it } from 'vitest';
import { createDelayLine } from '../../src/testing/delay-line.js';
import { createManualClock } from '../../src/testing/manual-clock.js';

function start() {
  const clock = createManualClock();
  const out: string[] = [];
  return { clock, out, line: createDelayLine<string>(clock, (item) => out.push(item)) };
}

describe('the delay line', () => {
  it('hands on at once without a delay', () => {
    const { out, line } = start();
    line.push('a');
    expect(out).toEqual(['a']);
    expect(line.length).toBe(0);
  });

  it('hands on in order, each after its own delay', async () => {
    const { clock, out, line } = start();
    line.setDelay(100);
    line.push('a');
    await clock.advance(60);
    line.push('b');
    await clock.advance(39);
    expect(out).toEqual([]);
    await clock.advance(1);
    expect(out).toEqual(['a']);
    await clock.advance(60);
    expect(out).toEqual(['a', 'b']);
  });

  it('applies a shorter delay to what waits already, and 0 lets it out at once', async () => {
    const { clock, out, line } = start();
    line.setDelay(1_000);
    line.push('a');
    await clock.advance(50);
    line.push('b');
    line.setDelay(100);
    await clock.advance(50);
    expect(out).toEqual(['a']);
    line.setDelay(0);
    expect(out).toEqual(['a', 'b']);
  });

  it('applies a longer delay to what waits already', async () => {
    const { clock, out, line } = start();
    line.setDelay(100);
    line.push('a');
    line.setDelay(300);
    await clock.advance(299);
    expect(out).toEqual([]);
    await clock.advance(1);
    expect(out).toEqual(['a']);
  });

  it('drops what waits when it is cleared, and leaves no timer', async () => {
    const { clock, out, line } = start();
    line.setDelay(100);
    line.push('a');
    line.clear();
    await clock.advance(1_000);
    expect([out, line.length, clock.pendingTimers]).toEqual([[], 0, 0]);
    line.push('b');
    await clock.advance(100);
    expect(out).toEqual(['b']);
  });

  it('takes what is pushed during a delivery after what waits', () => {
    const clock = createManualClock();
    const out: string[] = [];
    const line = createDelayLine<string>(clock, (item) => {
      out.push(item);
      if (item === 'a') line.push('c');
    });
    line.setDelay(10);
    line.push('a');
    line.push('b');
    line.setDelay(0);
    expect(out).toEqual(['a', 'b', 'c']);
  });
});
