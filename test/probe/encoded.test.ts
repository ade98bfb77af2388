import { expect, it } from 'vitest';
import { encodeSteps } from '../../src/probe/encoded.js';
import { atOnce } from '../../src/probe/pace.js';

it('E5: a text in parts is encoded whole, whatever characters it has', () => {
  const parts = Array.from({ length: 40 }, (_, index) => `${index} é € 🜲 `.repeat(300));
  expect(new TextDecoder().decode(atOnce(encodeSteps(parts)))).toBe(parts.join(''));
});

it.each([
  ['is no step while it is small', ['a', 'b', 'c'], 0],
  ['is a step where it is empty: that is work', ['', 'b', ''], 2],
  ['is a step after some kilobytes', ['x'.repeat(5000), 'x'.repeat(5000), 'x'.repeat(9000)], 2],
])('E5: a part %s', (_, parts, steps) => {
  expect([...encodeSteps(parts)]).toHaveLength(steps);
});
