import { describe, expect, it } from 'vitest';
import { readEnvironmentFacts } from '../../src/engine/environment-facts.js';
import { createHealth } from '../../src/create-health.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { createLog } from './support.js';

const given = { env: {}, pid: 20, parentPid: 10, shutdownDeadlineMs: 25_000, handlesSignals: true };

describe('facts about the environment', () => {
  it('are read from a handful of files', () => {
    const files: Record<string, string> = {
      '/proc/10/cmdline': 'sh\0-c\0node a.js\0',
      '/proc/10/stat': '10 (s h) x) S 9 10 10 0',
      '/proc/9/cmdline': 'npm start\0',
      '/proc/self/cgroup': '0::/app\n',
      '/sys/fs/cgroup/app/cpu.max': '150000 100000\n',
      '/sys/fs/cgroup/memory.max': '268435456\n',
    };
    let reads = 0;
    const read = (file: string): string => {
      reads += 1;
      const text = files[file];
      if (text === undefined) throw new Error('ENOENT');
      return text;
    };
    const env = { npm_lifecycle_event: 'start', POD_NAME: 'orders-1', POD_NAMESPACE: ' ' };
    expect(readEnvironmentFacts({ ...given, env, read })).toMatchObject({
      ancestors: [
        { pid: 10, command: 'sh -c node a.js' },
        { pid: 9, command: 'npm start' },
      ],
      packageScript: 'start',
      cpuLimit: 1.5,
      memoryLimitBytes: 268_435_456,
      orchestrator: { pod: 'orders-1' },
    });
    expect(reads).toBeLessThan(12);
  });

  it('are few where nothing can be read, and it does not throw', () => {
    const read = (): never => {
      throw new Error('EACCES');
    };
    const facts = readEnvironmentFacts({ ...given, read });
    expect(facts.ancestors).toEqual([]);
    expect(Object.keys(facts)).not.toContain('cpuLimit');
    expect(Object.keys(facts)).not.toContain('orchestrator');
  });

  it('D2: a drain that does not fit below the grace period is a warning, logged once at start', async () => {
    const log = createLog();
    const health = createHealth({
      clock: createManualClock(),
      logger: log.logger,
      env: { HALE_GRACE_PERIOD_MS: '10000' },
      isolation: 'inline',
      probes: false,
      diagnostic: false,
      signals: false,
    });
    await health.start();
    const lines = log.lines.filter(({ fields }) => fields['code'] === 'grace_period_too_short');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.level).toBe('warn');
    await health.dispose();
  });
});
