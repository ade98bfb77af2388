import { describe, expect, it } from 'vitest';
import { type FenceClaim, isAccepted } from '../../../src/lease/guards/claim.js';

/** A resource that keeps every write it has accepted, in order, as `token holder`. */
export interface GuardedResource {
  /** Writes under a claim; rejects with HALE_FENCED when it is too old. */
  write(claim: FenceClaim): Promise<void>;
  /** Makes a write that fails half-way, after its claim was accepted. */
  fail(claim: FenceClaim): Promise<void>;
  written(): Promise<string[]>;
  close(): unknown;
}

const BIG = 2n ** 53n;
/** How a write is told. */
export const label = ({ token, holder }: FenceClaim) => `${token} ${holder}`;
/** An error of hale's. */
export const fenced = (code: string) => expect.objectContaining({ code });

/** What every guard must do; `open` gives a fresh resource and clients of it. */
export function describeGuard(name: string, open: () => Promise<GuardedResource>): void {
  const use = async (work: (resource: GuardedResource) => Promise<void>): Promise<void> => {
    const resource = await open();
    try {
      await work(resource);
    } finally {
      await resource.close();
    }
  };

  describe(`${name} guard`, () => {
    it('H4: rejects an older token, and the same one of another holder, and writes nothing then', () =>
      use(async (resource) => {
        const claims: [bigint, string, boolean][] = [
          [9n, 'a', true],
          [9n, 'a', true],
          [8n, 'a', false],
          [9n, 'b', false],
          [10n, 'b', true],
          [9n, 'a', false],
          [BIG, 'b', true],
          [BIG + 1n, 'b', true],
          [BIG, 'b', false],
        ];
        for (const [token, holder, accepted] of claims) {
          const outcome = resource.write({ token, holder }).then(
            () => 'accepted',
            ({ code }: { code?: string }) => code,
          );
          expect(await outcome).toBe(accepted ? 'accepted' : 'HALE_FENCED');
        }
        const accepted = claims.flatMap(([token, holder, ok]) =>
          ok ? [`${token} ${holder}`] : [],
        );
        expect(await resource.written()).toEqual(accepted);
      }));

    it('H4: of writes that race, none is applied after a newer one', () =>
      use(async (resource) => {
        const claims = Array.from({ length: 60 }, (_, index) => ({
          token: BigInt(1 + ((index * 7) % 12)),
          holder: `holder ${index % 2}`,
        }));
        const outcomes = await Promise.allSettled(claims.map((claim) => resource.write(claim)));
        const written = (await resource.written()).map((line) => {
          const [token = '', ...holder] = line.split(' ');
          return { token: BigInt(token), holder: holder.join(' ') };
        });
        const applied = outcomes.filter(({ status }) => status === 'fulfilled');
        expect(written).toHaveLength(applied.length);
        expect(outcomes.length - applied.length).toBeGreaterThan(0);
        const stale = written.filter((claim, index) => !isAccepted(claim, written[index - 1]));
        expect(stale.map(label)).toEqual([]);
      }));

    it('a write that fails leaves nothing behind, and the resource goes on', () =>
      use(async (resource) => {
        await expect(resource.fail({ token: 1n, holder: 'a' })).rejects.toThrow('half-way');
        await resource.write({ token: 1n, holder: 'a' });
        expect(await resource.written()).toEqual(['1 a']);
      }));

    it.each([
      { token: 1 as never, holder: 'a' },
      { token: -1n, holder: 'a' },
      { token: 1n, holder: '' },
    ])('refuses a claim that is none', (claim) =>
      use(async (resource) => {
        await expect(resource.write(claim)).rejects.toEqual(fenced('HALE_OPTION_INVALID'));
      }),
    );
  });
}

/** How a write fails after its claim. */
export const halfWay = (): never => {
  throw new Error('half-way');
};
