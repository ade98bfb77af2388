import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import { createFaultProxy, createManualClock } from '../../src/testing/index.js';

const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8');

/** Runs an example of the page with what it names; returns how often it asserted. */
async function run(example: string, given: Record<string, unknown>): Promise<number> {
  const start = page.indexOf(`// example: ${example}\n`);
  expect(start, `example "${example}" is on the page`).toBeGreaterThan(0);
  const code = page.slice(start, page.indexOf('```', start));
  const names = Object.keys(given);
  // oxlint-disable-next-line typescript/no-implied-eval -- the code of the page is what is tested
  const program = new Function('assert', ...names, `return (async () => {${code}})()`) as (
    ...values: unknown[]
  ) => Promise<void>;
  await program(assert, ...Object.values(given));
  return code.split('assert.').length - 1;
}

describe('docs/testing.md', () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });

  it('the example of the clock holds', async () => {
    expect(await run('manual clock', { createHealth, createManualClock })).toBe(4);
  });

  it('the example of the proxy holds', async () => {
    const server = createServer((_request, response) => void response.end('ok'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    expect(await run('fault proxy', { createFaultProxy, port })).toBe(4);
  });
});
