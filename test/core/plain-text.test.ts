import { describe, expect, it } from 'vitest';
import { plainText } from '../../src/core/plain-text.js';

describe('a plain text', () => {
  it.each([
    ['as it is', 'as it is'],
    ['two\r\nlines', 'two lines'],
    ['\u001b[31mred\u001b[0m', '[31mred [0m'],
    ['\u009b31mred', '31mred'],
    ['exe.\u202etxt', 'exe. txt'],
    ['a\u2028b\u2029c\u0000d\u007f', 'a b c d'],
    ['<b>&"\'', '<b>&"\''],
    ['naïve 日本 😀', 'naïve 日本 😀'],
    ['', ''],
  ])('E7: %j steers neither a terminal nor a line', (text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  it('E7: is at most 500 characters, however long the text is', () => {
    expect(plainText('x'.repeat(500))).toHaveLength(500);
    expect(plainText('x'.repeat(501))).toBe(`${'x'.repeat(500)}…`);
    expect(plainText('x'.repeat(1e7))).toHaveLength(501);
  });
});
