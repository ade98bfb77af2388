import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createHealth } from '../../src/create-health.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from '../engine/support.js';

const page = readFileSync(new URL('../../docs/startup.md', import.meta.url), 'utf8');
const snippet = /```js\n(\/\/ example: migrations\n[^`]*)```/.exec(page)?.[1] ?? '';

/** Runs the page's own code. */
async function run(steps: (() => unknown)[]) {
  const clock = createManualClock();
  const log = createLog();
  const health = createHealth({
    clock,
    env: {},
    logger: log.logger,
    isolation: 'inline',
    probes: false,
    diagnostic: false,
    signals: false,
  });
  const body = `return (async () => {${snippet}})()`;
  // oxlint-disable-next-line typescript/no-implied-eval -- the code of the page is what is tested
  await new Function('health', 'steps', body)(health, steps);
  await clock.advance(100);
  return { health, log };
}

describe('docs/startup.md: migrations behind the listener', () => {
  it('S4: ready once the last step has ended, and not before', async () => {
    expect(snippet).toContain('startupTask');
    const seen: string[] = [];
    const { health } = await run([() => seen.push('a'), () => seen.push('b')]);
    expect(seen).toEqual(['a', 'b']);
    expect(health.report()).toMatchObject({ phase: 'running', readiness: { status: 'pass' } });
    await health.dispose();
  });

  it('S4: a step that fails leaves it not ready, alive, with the reason in the log', async () => {
    const broken = () => Promise.reject(new Error('no such table'));
    const { health, log } = await run([() => 1, broken]);
    expect(health.report()).toMatchObject({
      readiness: { reason: 'starting' },
      liveness: { status: 'pass' },
      startup: { percent: 50 },
    });
    expect(log.lines.map(({ fields }) => fields['output'])).toContain('no such table');
    await health.dispose();
  });
});
