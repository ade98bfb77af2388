import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleProgram, type Program, startProgram } from '../../support/program.js';

let bundle: Awaited<ReturnType<typeof bundleProgram>>;
let program: Program;

beforeAll(async () => {
  bundle = await bundleProgram('diagnosis-memory');
});
afterAll(async () => {
  await program?.stop();
  bundle?.remove();
});

it('E4: fifty checks and a day of history take less than 2 MB, and a run nothing', async () => {
  program = startProgram(bundle.file, { execArgv: ['--expose-gc'] });
  const measured = await program.message('measured', 30_000);
  expect(measured).toMatchObject({ steps: 288, recent: 60, timeline: 200 });
  const { bytes, bytesAfterLook, pageLength, bytesPerRun } = measured as Record<string, number>;
  // 50 × 8.8 KB of runs at the very least: less would mean that nothing was measured.
  expect(bytes).toBeGreaterThan(440_000);
  expect(bytes).toBeLessThan(2_000_000);
  // With all that stays once somebody has opened the page.
  expect(pageLength).toBeGreaterThan(100_000);
  expect(bytesAfterLook).toBeLessThan(2_000_000);
  // The time of the run, boxed on its way; garbage of the young.
  expect(bytesPerRun).toBeLessThan(40);
});
