import { describe, expect, it } from 'vitest';
import { contain } from '../../src/core/contain.js';

describe('contain', () => {
  it('hands over what is thrown, at once or later, and nothing else', async () => {
    const errors: unknown[] = [];
    const call = (work: () => unknown) => contain(work, (error) => errors.push(error));
    call(() => 1);
    call(() => Promise.resolve(2));
    call(() => {
      throw new Error('now');
    });
    call(() => Promise.reject(new Error('later')));
    expect(errors).toEqual([new Error('now')]);
    await Promise.resolve();
    await Promise.resolve();
    expect(errors).toEqual([new Error('now'), new Error('later')]);
  });
});
