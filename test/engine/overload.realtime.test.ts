import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { startFixture } from '../support/fixture.js';
import { probe } from '../support/probing.js';
import type { Program } from '../support/program.js';

/** Ten at once, 100 ms each. */
const CAPACITY_PER_SECOND = 100;

let program: Program | undefined;
afterEach(() => program?.stop());

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly tookMs: number;
}

function ask(port: number, agent: Agent): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent }, (response) => {
      response.resume().on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
          tookMs: performance.now() - startedAt,
        }),
      );
    }).on('error', reject);
  });
}

/** Sends at a fixed rate; resolves with every answer. */
async function load(port: number, perSecond: number, forMs: number): Promise<Answer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const answers: Promise<Answer>[] = [];
  const startedAt = performance.now();
  for (let now = 0; now < forMs; now = performance.now() - startedAt) {
    while (answers.length < (now / 1000) * perSecond) answers.push(ask(port, agent));
    await delay(5);
  }
  const all = await Promise.all(answers);
  agent.destroy();
  return all;
}

async function probeFor(port: number, forMs: number) {
  const times: number[] = [];
  const statuses: number[] = [];
  for (const end = performance.now() + forMs; performance.now() < end; await delay(50)) {
    const startedAt = performance.now();
    const { status } = await probe(port, '/readyz');
    times.push(performance.now() - startedAt);
    statuses.push(status);
    if ((await probe(port, '/livez')).status !== 200) statuses.push(-1);
  }
  return { times, statuses };
}

const median = (values: number[]) => quantile(values, 0.5);
const quantile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Infinity;

async function setUp(way: 'admission' | 'none') {
  program = startFixture('overloaded-service', { args: [way] });
  return (await program.message('ready')) as unknown as { port: number; probes: number };
}

describe('ten times the load', () => {
  it('R8, T11: probes answer, admitted requests stay quick, the rest is told to come back at once', async () => {
    const { port, probes } = await setUp('admission');
    const unloaded = await load(port, CAPACITY_PER_SECOND / 5, 2000);
    expect(unloaded.every(({ status }) => status === 200)).toBe(true);
    const forMs = 12_000;
    const [answers, { times, statuses }] = await Promise.all([
      load(port, CAPACITY_PER_SECOND * 10, forMs),
      probeFor(probes, forMs),
    ]);
    const admitted = answers.filter(({ status }) => status === 200).map(({ tookMs }) => tookMs);
    const rejected = answers.filter(({ status }) => status === 503);
    expect(admitted.length + rejected.length).toBe(answers.length);
    expect(admitted.length).toBeGreaterThan((CAPACITY_PER_SECOND * forMs) / 1000 / 2);
    expect(median(admitted)).toBeLessThan(2 * median(unloaded.map(({ tookMs }) => tookMs)));
    expect(rejected.every(({ retryAfter }) => /^[12]$/.test(retryAfter ?? ''))).toBe(true);
    expect(median(rejected.map(({ tookMs }) => tookMs))).toBeLessThan(50);
    expect(quantile(times, 0.95)).toBeLessThan(50);
    const changes = statuses.filter((status, index) => index > 0 && status !== statuses[index - 1]);
    expect(statuses).not.toContain(-1);
    expect(changes).toEqual([503]);
  });

  it('T11: the same without admission makes every request slow', async () => {
    const { port } = await setUp('none');
    const answers = await load(port, CAPACITY_PER_SECOND * 2, 2000);
    expect(median(answers.map(({ tookMs }) => tookMs))).toBeGreaterThan(200);
  });
});
