import { expect, it } from 'vitest';
import { type ConformanceOptions, conformanceCases } from '../../src/testing/index.js';

/** Makes a test of each case of the conformance kit. */
export function itConforms(options: ConformanceOptions): void {
  for (const { title, run } of conformanceCases(options)) {
    it(`C10: ${title}`, async () => {
      expect((await run()).runs).toBeGreaterThan(0);
    });
  }
}
