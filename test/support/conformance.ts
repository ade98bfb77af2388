import { expect, it } from 'vitest';
import { type CaseId, type ConformanceOptions, conformanceCases } from '../../src/testing/index.js';

/** Makes a test of each case of the conformance kit, or of some. */
export function itConforms(options: ConformanceOptions, only?: readonly CaseId[]): void {
  for (const { id, title, run } of conformanceCases(options)) {
    if (only !== undefined && !only.includes(id)) continue;
    it(`C10: ${title}`, async () => {
      expect((await run()).runs).toBeGreaterThan(0);
    });
  }
}
