import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const RUN = fileURLToPath(new URL('../../bench/run.mjs', import.meta.url));

interface Judgement {
  readonly what: string;
  readonly met: boolean;
}

interface Report<Raw> {
  readonly scenario: string;
  readonly judgements: readonly Judgement[];
  readonly raw: Raw;
}

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hale-bench-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function bench(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } };
    execFile(process.execPath, [RUN, ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

async function quickly<Raw>(scenario: string, ...goals: string[]) {
  const file = path.join(folder, `${scenario}.json`);
  const result = await bench([scenario, '--quick', '--json', file, ...goals]);
  const report = JSON.parse(await readFile(file, 'utf8')) as Report<Raw>;
  return { ...result, report };
}

/** Speed is for the benchmark on a quiet machine; here only the harness is under test. */
const ANY_SPEED = {
  'busy-loop': ['--goal-p99=60000'],
  throughput: ['--goal-throughput=0.0001', '--goal-main-cpu=1000', '--goal-main-garbage=100000'],
  idle: [
    '--goal-import=60000',
    '--goal-first-answer=60000',
    '--goal-idle-cpu=200',
    '--goal-memory=1000',
  ],
};

/** For a goal that no run could meet, however short. */
const SHORT = ['--duration=0.3', '--count=500'];

describe('busy-loop', () => {
  it('exits 0 when every goal is met and keeps every latency', async () => {
    const { code, report, stdout, stderr } = await quickly<
      readonly { name: string; load: string; latenciesMs: readonly number[] }[]
    >('busy-loop', ...ANY_SPEED['busy-loop']);
    expect({ code, output: stdout + stderr }).toMatchObject({ code: 0 });
    expect(report.raw.map(({ name, load }) => `${name} ${load}`).toSorted()).toEqual(
      ['floor', 'hale', 'noise'].flatMap((name) => [`${name} 0`, `${name} 90/200`]).toSorted(),
    );
    for (const run of report.raw) expect(run.latenciesMs).toHaveLength(80);
  });

  it('counts the wait behind a busy loop from the time a probe was due', async () => {
    const { report } = await quickly<readonly { name: string; latenciesMs: readonly number[] }[]>(
      'busy-loop',
      '--loads=90/200',
      '--subjects=hale,floor',
      ...ANY_SPEED['busy-loop'],
    );
    const floor = report.raw.find(({ name }) => name === 'floor')?.latenciesMs ?? [];
    // Nine probes of ten fall into a block of 200 ms and wait for its end: half of them over 90 ms.
    expect(floor.filter((ms) => ms > 80).length / floor.length).toBeGreaterThan(0.3);
    expect(Math.max(...floor)).toBeGreaterThan(150);
  });

  it('exits 1 and says so when a goal is missed', async () => {
    const { code, stdout, report } = await quickly(
      'busy-loop',
      ...SHORT,
      '--loads=0',
      '--goal-p99=0.0001',
    );
    expect(code).toBe(1);
    expect(stdout).toContain('MISSED');
    expect(report.judgements.some(({ met }) => !met)).toBe(true);
  });
});

describe('throughput', () => {
  it('exits 0 when every goal is met and has answers of the same bytes from both', async () => {
    const { code, report, stdout, stderr } = await quickly<{
      runs: readonly { loaded: { outcome: { answered: number } } }[];
    }>('throughput', ...ANY_SPEED.throughput);
    expect({ code, output: stdout + stderr }).toMatchObject({ code: 0 });
    expect(report.judgements).toHaveLength(4);
    expect(report.raw.runs.map(({ loaded }) => loaded.outcome.answered)).toEqual([5000, 5000]);
  });

  it('exits 1 when a goal is missed', async () => {
    const { code } = await quickly('throughput', ...SHORT, '--goal-throughput=1000');
    expect(code).toBe(1);
  });
});

describe('idle', () => {
  it('exits 0 when every goal is met', async () => {
    const { code, report, stdout, stderr } = await quickly('idle', ...ANY_SPEED.idle);
    expect({ code, output: stdout + stderr }).toMatchObject({ code: 0 });
    expect(report.judgements).toHaveLength(4);
  });

  it('exits 1 when a goal is missed', async () => {
    const { code } = await quickly('idle', ...ANY_SPEED.idle, ...SHORT, '--goal-import=0.0001');
    expect(code).toBe(1);
  });
});

describe('a hale that serves from the main loop', () => {
  it('misses the goal for probe latency', async () => {
    const args = ['busy-loop', '--quick', '--loads=90/200', '--subjects=hale'];
    const { code, stdout } = await bench(args, { BENCH_ISOLATION: 'inline' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/hale p99 at 90\/200.*MISSED/);
  });

  it('misses the goal for main-thread CPU', async () => {
    const args = ['throughput', '--quick', '--count=2000'];
    const { code, stdout } = await bench(args, { BENCH_ISOLATION: 'inline' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/main-thread CPU .*MISSED/);
  });
});

describe('the command', () => {
  it('exits 2 and shows its usage for a scenario it does not know', async () => {
    const { code, stderr } = await bench(['sprint']);
    expect(code).toBe(2);
    expect(stderr).toContain('busy-loop|throughput|idle');
  });

  it('exits 2 naming the option, the range and the value when an option is wrong', async () => {
    const { code, stderr } = await bench(['busy-loop', '--rounds=none']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--rounds .* must be a number above 0, got "none"/);
  });

  it('exits 2 when no goal applies to the subjects, instead of passing', async () => {
    const args = ['--quick', '--subjects=floor', '--loads=0', '--duration=1'];
    const { code, stderr } = await bench(['busy-loop', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain('nothing was judged');
  });
});
