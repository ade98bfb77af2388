import { describe, expect, it } from 'vitest';
import { writeWhole } from '../../src/core/write-whole.js';

const failure = (code: string) => Object.assign(new Error(code), { code });

/** A descriptor that takes so many bytes at a time, or throws. */
function descriptor(...answers: (number | string)[]) {
  const written: number[] = [];
  let calls = 0;
  const write = (bytes: Uint8Array): number => {
    calls += 1;
    const answer = answers.shift() ?? Infinity;
    if (typeof answer === 'string') throw failure(answer);
    const taken = bytes.subarray(0, Math.min(answer, bytes.length));
    written.push(...taken);
    return taken.length;
  };
  return {
    write,
    text: () => new TextDecoder().decode(Uint8Array.from(written)),
    calls: () => calls,
  };
}

describe('write whole', () => {
  it('goes on after a part and after a full pipe, also within a character', () => {
    const { write, text } = descriptor(3, 'EAGAIN', 1);
    writeWhole(write, 'zu spät\n');
    expect(text()).toBe('zu spät\n');
  });

  it('D2: gives up on a closed descriptor, and on one that stays full, without throwing', () => {
    for (const [code, calls] of [
      ['EPIPE', 1],
      ['EAGAIN', 5],
    ] as const) {
      const { write, calls: made } = descriptor(...Array<string>(10).fill(code));
      expect(() => writeWhole(write, 'line\n')).not.toThrow();
      expect(made()).toBe(calls);
    }
  });
});
