import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { HALE_VERSION } from '../../src/core/version.js';

it('E4: the version that the diagnosis tells is the one of the package', () => {
  const file = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  expect(HALE_VERSION).toBe(version);
});
