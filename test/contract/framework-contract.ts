import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FrameworkUnderTest } from './framework-app.js';
import { SERVING_CASES } from './framework-cases.js';
import { END_CASES } from './framework-end-cases.js';
import { type Kit, openKit } from './framework-kit.js';

/** Every adapter is tested at the root and below a base path. */
const BASES = ['', '/shop/v1'];

/** Tests the adapter of one major of a framework; call it at the top of a `*.realtime.test.ts` file. */
export function frameworkContract(framework: FrameworkUnderTest): void {
  describe.each(BASES)(`${framework.name} below "%s"`, (base) => {
    let kit: Kit;
    beforeAll(async () => {
      kit = await openKit(framework, base);
    });
    afterAll(() => kit?.close());
    it.each(named(SERVING_CASES))('%s', async (_name, { run }) => {
      expect.hasAssertions();
      await run(kit);
    });
    it.each(named(END_CASES))('%s', async (_name, { run }) => {
      expect.hasAssertions();
      await run(framework, base);
    });
  });
}

/** As `%s` prints them: `$name` would be cut. */
function named<T extends { readonly name: string }>(cases: readonly T[]): [string, T][] {
  return cases.map((item) => [item.name, item]);
}

/** The names of the cases a framework does not pass, of those that match; for tests of this suite itself. */
export async function failuresOf(
  framework: FrameworkUnderTest,
  base = '',
  only = /./,
): Promise<string[]> {
  const failed: string[] = [];
  let attempts = 0;
  const attempt = async (name: string, run: () => Promise<void>): Promise<void> => {
    if (!only.test(name)) return;
    attempts += 1;
    await run().catch(() => failed.push(name));
  };
  const kit = await openKit(framework, base);
  try {
    for (const { name, run } of SERVING_CASES) await attempt(name, () => run(kit));
  } finally {
    await kit.close();
  }
  for (const { name, run } of END_CASES) await attempt(name, () => run(framework, base));
  if (attempts === 0) throw new Error(`no case matches ${String(only)}`);
  return failed;
}
