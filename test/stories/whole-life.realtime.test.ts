import { describe, expect, it } from 'vitest';
import { startChild } from './child-program.js';

const CYCLES = 1000;

describe('a program that creates, starts and disposes hale 1,000 times', () => {
  it('ends by itself, with flat memory and no listener left', { timeout: 420_000 }, async () => {
    const program = startChild('thousand-lives', [String(CYCLES)], ['--expose-gc']);
    const ending = await program.ended;
    expect(ending, program.output()).toStrictEqual({ code: 0, signal: null });
    const { cycles, samples, listeners } = JSON.parse(program.output()) as {
      cycles: number;
      samples: number[];
      listeners: number[];
    };
    expect(cycles).toBe(CYCLES);
    expect(listeners).toStrictEqual([0, 0, 0, 0]);
    const half = Math.floor(samples.length / 2);
    const growth = Math.min(...samples.slice(half)) - Math.min(...samples.slice(0, half));
    // A leak of one closure a cycle would be hundreds of kilobytes over these cycles.
    expect(growth, `heap after collection: ${samples.join(', ')}`).toBeLessThan(300_000);
  });
});
