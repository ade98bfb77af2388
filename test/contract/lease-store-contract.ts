import { describe, expect, it } from 'vitest';
import { type ContractCase, type StoreHarness, createBench } from './lease-store-bench.js';
import { basicCases } from './lease-store-basics.js';
import { faultCases } from './lease-store-faults.js';
import { observerCases } from './lease-store-observers.js';

/** What every lease store must do, whatever its backend. */
export const leaseStoreContract: readonly ContractCase[] = [
  ...basicCases,
  ...observerCases,
  ...faultCases,
];

/** Runs one case, and closes whatever it has opened. */
export async function runCase({ run }: ContractCase, harness: StoreHarness): Promise<void> {
  const { bench, end } = createBench(harness);
  try {
    await run(bench);
  } finally {
    await end();
  }
}

/** A thousand cycles are many round trips, on a busy machine. */
const WITHIN_MS = 240_000;

/** Registers the contract as tests of one store; `harness` is asked when they run. */
export function describeLeaseStore(
  name: string,
  harness: () => StoreHarness,
  applies: (contractCase: ContractCase) => boolean = () => true,
): void {
  describe(`lease store contract: ${name}`, () => {
    const cases = leaseStoreContract.filter(applies);
    const titled = cases.map((each) => [each.title, each] as const);
    it.each(titled)('%s', { timeout: WITHIN_MS }, async (_, each) => {
      await expect(runCase(each, harness())).resolves.toBe(undefined);
    });
  });
}
