import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { probe } from '../support/probing.js';
import { type Program, bundleProgram, eventually, startProgram } from '../support/program.js';

let bundle: { file: string; remove: () => void };
const programs = new Set<Program>();

beforeAll(async () => {
  bundle = await bundleProgram('draining-service');
});
afterEach(async () => {
  await Promise.all([...programs].map((program) => program.stop()));
  programs.clear();
});
afterAll(() => bundle.remove());

async function setUp() {
  const program = startProgram(bundle.file);
  programs.add(program);
  const { port, probes } = (await program.message('ready')) as { port: number; probes: number };
  await eventually('readiness', () => program.logs().find(({ reason }) => reason === 'ok'));
  return { program, port, probes };
}

interface Answer {
  readonly status: number;
  readonly connection: string | undefined;
}

function get(port: number, path: string, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, agent: agent ?? false }, (response) => {
      response.resume().on('end', () => {
        resolve({ status: response.statusCode ?? 0, connection: response.headers.connection });
      });
    });
    call.on('error', reject);
    call.end();
  });
}

const steps = (program: Program) =>
  program
    .logs()
    .filter(({ event }) => event === 'drain_step')
    .map(({ step, ended }) => `${String(step)} ${String(ended)}`);

describe('drain of a real process', () => {
  it('D1, D3, D7, L6: not ready at once, serves through the delay, answers probes to the end, exits 0', async () => {
    const { program, port, probes } = await setUp();
    const agent = new Agent({ keepAlive: true });
    expect(await get(port, '/0', agent)).toEqual({ status: 200, connection: 'keep-alive' });
    const slow = get(port, '/1500');
    program.child.kill('SIGTERM');
    await program.log('drain_begin');
    expect(await probe(probes, '/readyz')).toMatchObject({ status: 503, reason: 'draining' });
    expect(await get(port, '/0', agent)).toEqual({ status: 200, connection: 'close' });
    await delay(900);
    await expect(get(port, '/0')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(await probe(probes, '/livez')).toMatchObject({ status: 200 });
    expect(await slow).toEqual({ status: 200, connection: 'close' });
    expect(await program.exit()).toBe(0);
    expect(steps(program)).toEqual([
      'propagation done',
      'stop_accepting done',
      'in_flight done',
      'consumers done',
      'closers done',
      'lease_release done',
    ]);
    agent.destroy();
  });

  it('D1, T8: under keep-alive load no request is lost', async () => {
    const { program, port } = await setUp();
    const lost: unknown[] = [];
    let served = 0;
    let inRotation = true;
    const client = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (inRotation) {
        await get(port, '/3', agent).then(
          () => (served += 1),
          (error: unknown) => lost.push(error),
        );
      }
      agent.destroy();
    };
    const clients = Array.from({ length: 20 }, client);
    await delay(200);
    program.child.kill('SIGTERM');
    // What a load balancer does: it learns after a while, well within the propagation delay of 600 ms.
    await delay(400);
    inRotation = false;
    await Promise.all(clients);
    expect(await program.exit()).toBe(0);
    expect(lost).toEqual([]);
    expect(served).toBeGreaterThan(50);
  });

  it('D2, D6: a request open at the deadline is named without its query and cut; the exit code is 1', async () => {
    const { program, port } = await setUp();
    const hopeless = Promise.allSettled([get(port, '/60000?token=s3cret')]);
    await delay(50);
    program.child.kill('SIGINT');
    const started = performance.now();
    expect(await program.exit()).toBe(1);
    expect(performance.now() - started).toBeLessThan(3500);
    expect(await hopeless).toMatchObject([{ status: 'rejected' }]);
    const cut = program.logs().find(({ ended }) => ended === 'cut');
    expect(cut).toMatchObject({
      step: 'in_flight',
      open: [expect.stringMatching(/^GET \/60000 for 2\.\d s$/)],
    });
    expect(program.stderr()).not.toContain('s3cret');
  });

  it('D2: a hung hook does not keep the process beyond the deadline', async () => {
    const { program } = await setUp();
    program.send({ fault: 'hang' });
    program.send({ fault: 'disconnect' });
    await delay(50);
    program.child.kill('SIGTERM');
    const started = performance.now();
    expect(await program.exit()).toBe(1);
    expect(performance.now() - started).toBeGreaterThan(2500);
    expect(program.stderr()).toContain('hung hook');
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('D2: a second signal, %s, exits at once with %i', async (signal, code) => {
    const { program } = await setUp();
    program.child.kill('SIGTERM');
    await program.log('drain_begin');
    program.child.kill(signal);
    expect(await program.exit(500)).toBe(code);
  });

  it.each([
    ['throw', 'uncaught_exception', 'thrown in a timer'],
    ['reject', 'unhandled_rejection', 'rejected for nobody'],
  ])('D5: %s makes it not ready, drains briefly and exits 1', async (fault, event, output) => {
    const { program, port, probes } = await setUp();
    const slow = get(port, '/500');
    await delay(50);
    program.send({ fault });
    expect(await program.log(event)).toMatchObject({ output });
    expect(await probe(probes, '/readyz')).toMatchObject({ status: 503, reason: 'draining' });
    expect(await slow).toMatchObject({ status: 200 });
    expect(await program.exit()).toBe(1);
  });
});
