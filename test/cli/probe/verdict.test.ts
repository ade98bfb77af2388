import { describe, expect, it } from 'vitest';
import { judgeFile } from '../../../src/cli/probe/verdict.js';

describe('E6: a file that hale probe looks at', () => {
  it.each([
    ['{"status":"pass","reason":"ok","pid":7}\n', 'pass ok'],
    ['{"status":"warn","reason":"check_degraded:cache","pid":7}\n', 'warn check_degraded:cache'],
    ['', 'pass the file exists'],
    ['not what hale\nwrote', 'pass the file exists'],
  ])('passes whatever it says: %j', (text, line) => {
    expect(judgeFile(text)).toEqual({ pass: true, line });
  });
});
