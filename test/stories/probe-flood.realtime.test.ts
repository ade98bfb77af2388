import http from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type ChildProgram, startChild } from './child-program.js';

const PROBES = 10_000;
const CONNECTIONS = 8;

let program: ChildProgram;
afterEach(() => void program.child.kill('SIGKILL'));

function ask(agent: http.Agent, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    http
      .get({ agent, port, host: '127.0.0.1', path: '/readyz' }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      })
      .once('error', reject);
  });
}

async function count(): Promise<{ runs: number; collections: number }> {
  const answer = program.message('count');
  program.child.send('count');
  const { runs, collections } = await answer;
  return { runs: Number(runs), collections: Number(collections) };
}

describe('T10: 10,000 probes as fast as possible', () => {
  it('R2, O2: are all answered, and cause no run of a check, no collection on the main thread and no log line', async () => {
    // Without what V8 does after seconds of quiet, which a busy machine needs for so many probes.
    program = startChild('probe-flood', [], ['--expose-gc', '--no-memory-reducer']);
    const { port } = await program.message('listening');
    const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    // The first run of the check is over once readiness passes.
    while ((await ask(agent, Number(port))) !== 200)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const settled = program.message('settled');
    program.child.send('settle');
    await settled;
    const before = await count();
    const printed = program.output();
    expect(before.runs).toBe(1);
    const answers = await Promise.all(
      Array.from({ length: PROBES }, () => ask(agent, Number(port))),
    );
    const after = await count();
    agent.destroy();
    expect(answers.filter((status) => status === 200)).toHaveLength(PROBES);
    expect(after).toStrictEqual(before);
    expect(program.output()).toBe(printed);
  });
});
