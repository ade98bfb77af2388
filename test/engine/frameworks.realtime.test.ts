import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { startFixture } from '../support/fixture.js';
import type { Program } from '../support/program.js';

const programs = new Set<Program>();

afterEach(async () => {
  await Promise.all([...programs].map((program) => program.stop()));
  programs.clear();
});

async function setUp(way: string) {
  const program = startFixture('framework-service', { args: way.split(' ') });
  programs.add(program);
  const { port } = (await program.message('ready')) as { port: number };
  return { program, port };
}

function ask(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(`${response.statusCode} ${text}`));
    }).on('error', reject);
  });
}

const hooks = ({ messages }: Program) =>
  messages.filter(({ event }) => event === 'hook').map(({ what }) => what);

describe('frameworks in a drain', () => {
  it.each([
    ['nest 10', ['onModuleDestroy', 'onApplicationShutdown undefined']],
    ['nest 11', ['onModuleDestroy', 'onApplicationShutdown undefined']],
    ['fastify', ['onClose']],
    ['express', []],
  ])(
    'D1: %s, given to onShutdown, serves through the delay, finishes what is in flight, then closes; exit code 0',
    async (way, expected) => {
      const { program, port } = await setUp(way);
      const slow = ask(port, '/slow');
      await delay(50);
      program.child.kill('SIGTERM');
      await program.log('drain_begin');
      await delay(250);
      expect(await ask(port, '/quick')).toBe('200 quick');
      expect(hooks(program)).toEqual([]);
      expect(await slow).toBe('200 done');
      expect(await program.exit()).toBe(0);
      expect(hooks(program)).toEqual(expected);
    },
  );

  it.each(['10', '11'])(
    'D2: the shutdown hooks of Nest %s raise the signal again, which is no second signal; hale warns and exits 0',
    async (major) => {
      const { program, port } = await setUp(`nest-hooks ${major}`);
      expect(await ask(port, '/quick')).toBe('200 quick');
      program.child.kill('SIGTERM');
      expect(await program.log('other_signal_listeners')).toMatchObject({ others: 1 });
      await program.log('signal_raised_again');
      expect(await program.exit()).toBe(0);
      expect(hooks(program)).toEqual(['onModuleDestroy', 'onApplicationShutdown SIGTERM']);
    },
  );

  it('D2: a real second signal during those hooks still exits at once', async () => {
    const { program, port } = await setUp('nest-hooks');
    const slow = ask(port, '/slow').catch(String);
    await delay(50);
    program.child.kill('SIGTERM');
    await program.log('drain_begin');
    program.child.kill('SIGTERM');
    expect(await program.exit(1000)).toBe(143);
    await slow;
  });

  it('D2: somebody who ends the process during the drain is named in the log', async () => {
    const { program, port } = await setUp('foreign');
    expect(await ask(port, '/quick')).toBe('200 quick');
    program.child.kill('SIGTERM');
    expect(await program.exit()).toBe(0);
    expect(await program.log('exit_during_drain')).toMatchObject({ level: 'error', code: 0 });
  });
});
