import { describe, expect, it } from 'vitest';
import { createHealth } from '../src/create-health.js';
import { silentLogger } from '../src/core/logger.js';

describe('createHealth', () => {
  it('R7: a member of a group cannot be removed, other checks can', async () => {
    await using health = createHealth({
      checks: { one: () => {}, two: () => {}, alone: () => {} },
      groups: { replicas: { members: ['one', 'two'], quorum: 1 } },
      logger: silentLogger,
      env: {},
    });
    await expect(health.removeCheck('one')).rejects.toMatchObject({
      code: 'HALE_STATE',
      message: expect.stringContaining('"replicas"'),
    });
    await health.removeCheck('alone');
    await expect(health.removeCheck('alone')).rejects.toMatchObject({ code: 'HALE_CHECK_UNKNOWN' });
    expect(health.report().checks.map(({ name }) => name)).toStrictEqual(['one', 'two']);
  });
});
