import { describe, expect, it } from 'vitest';
import { createChangeStream } from '../../src/core/change-stream.js';

function kit(limit = 3) {
  let left = 0;
  const own = createChangeStream<{ n: number }>(limit, () => void (left += 1));
  return { ...own, left: () => left };
}

describe('change stream', () => {
  it('O4: gives what waits in order, then what comes', async () => {
    const { stream, push } = kit();
    push({ n: 1 });
    push({ n: 2 });
    expect(await stream.next()).toStrictEqual({ done: false, value: { n: 1 } });
    expect(await stream.next()).toStrictEqual({ done: false, value: { n: 2 } });
    const waiting = stream.next();
    push({ n: 3 });
    expect(await waiting).toStrictEqual({ done: false, value: { n: 3 } });
  });

  it('O4: a reader that falls behind misses the oldest, and knows how many', async () => {
    const { stream, push } = kit();
    for (let n = 1; n <= 10; n += 1) push({ n });
    expect(stream.missed).toBe(7);
    expect(await stream.next()).toStrictEqual({ done: false, value: { n: 8 } });
  });

  it('O4: the end comes after what waits', async () => {
    const { stream, push, end, left } = kit();
    push({ n: 1 });
    end();
    end();
    push({ n: 2 });
    expect(await stream.next()).toStrictEqual({ done: false, value: { n: 1 } });
    expect(await stream.next()).toStrictEqual({ done: true, value: undefined });
    expect(left()).toBe(1);
  });

  it('O4: the end reaches a reader that waits', async () => {
    const { stream, end } = kit();
    const waiting = stream.next();
    end();
    expect(await waiting).toStrictEqual({ done: true, value: undefined });
  });

  it('O4: leaving the loop ends it', async () => {
    const { stream, push, left } = kit();
    push({ n: 1 });
    push({ n: 2 });
    for await (const { n } of stream) {
      expect(n).toBe(1);
      break;
    }
    expect(left()).toBe(1);
    expect(await stream.next()).toStrictEqual({ done: true, value: undefined });
  });
});
