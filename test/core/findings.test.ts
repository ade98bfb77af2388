import { describe, expect, it } from 'vitest';
import { containerId, cpuLimitV1, cpuLimitV2, memoryLimit } from '../../src/core/cgroup.js';
import { type EnvironmentFacts, factNotes, findings } from '../../src/core/findings.js';

const facts = (given: Partial<EnvironmentFacts>): EnvironmentFacts => ({
  pid: 20,
  ancestors: [],
  shutdownDeadlineMs: 25_000,
  handlesSignals: true,
  ...given,
});
const parents = (...commands: string[]) =>
  commands.map((command, index) => ({ pid: 10 - index, command }));
const codes = (given: Partial<EnvironmentFacts>) => findings(facts(given)).map(({ code }) => code);

describe('findings about the environment', () => {
  it('case 13: a package manager that runs node through a shell, or yarn, swallows signals', () => {
    for (const ancestors of [
      parents('sh -c node server.js', 'npm start'),
      parents('/bin/sh -c node server.js', 'node /usr/lib/node_modules/npm/bin/npm-cli.js start'),
      parents('sh -c node server.js', '/usr/bin/pnpm run start'),
      parents('/usr/bin/node /usr/local/bin/yarn start'),
    ]) {
      expect(codes({ ancestors }), ancestors[0]?.command).toEqual([
        'package_manager_swallows_signals',
      ]);
    }
    const [finding] = findings(
      facts({ ancestors: parents('sh -c node a', 'npm start'), packageScript: 'serve' }),
    );
    expect(finding?.text).toContain('"npm run serve"');
    expect(finding?.text).toContain('with "exec"');
  });

  it('case 13: a plain shell, an init, a script that replaces its shell, a look-alike are fine', () => {
    for (const ancestors of [
      parents('bash', 'sshd'),
      parents('/sbin/tini -- node server.js'),
      parents('npm start', 'bash'),
      parents('sh -c node server.js', '/opt/npm-mirror/server'),
      [],
    ]) {
      expect(codes({ ancestors })).toEqual([]);
    }
  });

  it('names process 1, a grace period that is too short and a heap beyond the memory', () => {
    expect(codes({ pid: 1 })).toEqual(['pid_1_without_init']);
    expect(findings(facts({ pid: 1, handlesSignals: false }))[0]?.text).toContain('is ignored');
    expect(codes({ gracePeriodMs: 26_000 })).toEqual([]);
    expect(codes({ gracePeriodMs: 25_999 })).toEqual(['grace_period_too_short']);
    expect(findings(facts({ gracePeriodMs: 10_000 }))[0]?.text).toContain('to 9000 or less');
    const gib = 1024 ** 3;
    expect(codes({ memoryLimitBytes: gib, heapLimitBytes: gib })).toEqual([]);
    expect(findings(facts({ memoryLimitBytes: gib, heapLimitBytes: 2 * gib }))[0]?.text).toContain(
      '--max-old-space-size=768',
    );
  });

  it('tells the facts in short notes', () => {
    expect(factNotes(facts({}))).toEqual([]);
    expect(
      factNotes(
        facts({
          cpuLimit: 0.5,
          memoryLimitBytes: 268_435_456,
          containerId: 'ab'.repeat(32),
          orchestrator: { pod: 'orders-1', namespace: 'shop', node: 'n1' },
        }),
      ),
    ).toEqual([
      'CPU limit 0.5',
      'memory limit 256 MiB',
      'container abababababab',
      'pod shop/orders-1',
      'node n1',
    ]);
  });
});

describe('what cgroup files say', () => {
  it('reads both versions', () => {
    expect(cpuLimitV2('50000 100000\n')).toBe(0.5);
    expect(cpuLimitV2('max 100000\n')).toBeUndefined();
    expect(cpuLimitV1('200000\n', '100000\n')).toBe(2);
    expect(cpuLimitV1('-1\n', '100000\n')).toBeUndefined();
    expect(memoryLimit('268435456\n')).toBe(268_435_456);
    expect(memoryLimit('max\n')).toBeUndefined();
    expect(memoryLimit('9223372036854771712\n')).toBeUndefined();
  });

  it('finds the container', () => {
    const id = '0123456789abcdef'.repeat(4);
    expect(containerId(`12:pids:/docker/${id}\n`, '')).toBe(id);
    expect(containerId(`0::/system.slice/docker-${id}.scope\n`, '')).toBe(id);
    const mount = `5 4 8:1 /var/lib/docker/containers/${id}/hostname /etc/hostname rw - ext4 a rw\n`;
    expect(containerId('0::/\n', mount)).toBe(id);
    expect(containerId('0::/\n', `5 4 8:1 /x/${id}/data /data rw\n`)).toBeUndefined();
  });
});
