import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/core/redact.js';

const redact = createRedactor();

/** Pieces that drive a backtracking pattern into all its branches. */
const PIECES = [
  'a',
  ' ',
  '\\',
  '"',
  '\\"',
  "'",
  ',',
  ',"',
  '@',
  'a:',
  'a:b@',
  'a://',
  'a://b:',
  '://@',
  ':',
  '=',
  '-',
  '--',
  '--pass',
  'pass',
  'pass ',
  'pass=',
  'pass="',
  'password',
  'password=)',
  'password=,',
  "password '",
  'token token',
  'authorization:',
  'cookie:a',
  'cookie: a=b;',
  'cookie: a ',
  'bearer ',
  'basic ',
  'basic a',
  'eyJ',
  '-eyJaaaaa',
  'eyJaaaaaa.',
  'AKIA',
  'AKIAAAAAAAAAAAAA_',
  'sk-',
  'ghp_',
  'AIza',
  'Aa1',
  'Aa1/',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN ',
  '-----END ',
  'identified by ',
  'x_',
  'xY',
  ')',
  ']',
  '[redacted]',
];

/** Median CPU-bound time of one call, in nanoseconds; the input's first run warms the patterns up. */
function timeOf(text: string): number {
  redact(text);
  const times = Array.from({ length: 5 }, () => {
    const begin = process.hrtime.bigint();
    redact(text);
    return Number(process.hrtime.bigint() - begin);
  });
  return Math.min(...times);
}

describe('redact hostile texts', () => {
  it.each(PIECES)('E7: takes linear time on 8 KB of %j', (piece) => {
    const text = (length: number) =>
      piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
    const half = timeOf(text(4095));
    const full = timeOf(text(8190));
    // Linear gives 2, quadratic 4; too short to measure is linear enough.
    expect(full < 5e6 || full / half < 3.2).toBe(true);
    expect(full).toBeLessThan(50e6);
  });

  it('E7: takes bounded time on any mixture of them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 }),
        (pieces) => {
          const piece = pieces.join('');
          expect(timeOf(piece.repeat(Math.ceil(8190 / piece.length)).slice(0, 8190))).toBeLessThan(
            50e6,
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});
