import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ensureServers, missingServersError } from '../../../tools/ensure-servers.mjs';
import { type ManagedServer, type ServerKind, startManagedServer } from './managed-server.js';
import { startPostgres } from './postgres.js';
import { startRedis } from './redis.js';
import { REAPER, startServerProcess } from './server-process.js';

const started: ManagedServer[] = [];
const keep = <T extends ManagedServer>(server: T): T => {
  started.push(server);
  return server;
};
afterEach(async () => {
  for (const server of started.splice(0)) await server.dispose();
});

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const connects = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.once('connect', () => socket.destroy());
  });

/** Resolves with true when the query answers, with false when it is silent for 400 ms. */
async function answers(client: pg.Client): Promise<boolean> {
  const answer = client.query('SELECT 1').then(() => true);
  const silence = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 400));
  return Promise.race([answer, silence]);
}

describe('the PostgreSQL kit', () => {
  it(
    'stops, restarts on its port, keeps its data, freezes and thaws',
    { timeout: 60_000 },
    async () => {
      const server = keep(await startPostgres());
      const first = new pg.Client({ connectionString: server.url });
      await first.connect();
      await first.query('CREATE TABLE kept (n int)');
      await first.end();
      const firstPid = server.pid;
      await server.stop();
      expect(isAlive(firstPid)).toBe(false);
      expect(await connects(server.port)).toBe(false);
      await server.restart();
      expect(server.pid).not.toBe(firstPid);
      const client = new pg.Client({ connectionString: server.url });
      client.on('error', () => {});
      await client.connect();
      expect((await client.query('SELECT count(*) FROM kept')).rowCount).toBe(1);
      server.freeze();
      const whileFrozen = answers(client);
      expect(await whileFrozen).toBe(false);
      server.thaw();
      expect(await answers(client)).toBe(true);
      await client.end();
    },
  );

  it('asks for the password', { timeout: 60_000 }, async () => {
    const server = keep(await startPostgres());
    const wrong = server.url.replace(server.password, 'wrong');
    const client = new pg.Client({ connectionString: wrong });
    await expect(client.connect()).rejects.toThrow(/password authentication failed/);
  });

  it('can be disposed while frozen', { timeout: 60_000 }, async () => {
    const server = keep(await startPostgres());
    server.freeze();
    await server.dispose();
    expect(isAlive(server.pid)).toBe(false);
  });
});

describe('the Redis kit', () => {
  it('stops, restarts on its port and knows a password', async () => {
    const server = keep(await startRedis({ password: 'secret' }));
    expect(server.url).toContain(':secret@');
    await server.stop();
    expect(await connects(server.port)).toBe(false);
    await server.restart();
    expect(await connects(server.port)).toBe(true);
  });
});

describe('a server process', () => {
  it('ends with its folder when the process that started it is killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hale-owner-'));
    const module = join(folder, 'owner.mjs');
    writeFileSync(
      module,
      `import { spawn } from 'node:child_process';
      const [reaper, folder] = process.argv.slice(2);
      const server = spawn('sleep', ['60'], { stdio: 'ignore', detached: true });
      spawn('/bin/sh', [reaper, server.pid, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
      process.send(server.pid);
      setInterval(() => {}, 1000);`,
    );
    const owner = fork(module, [REAPER, folder]);
    const [pid] = (await once(owner, 'message')) as [number];
    expect(isAlive(pid)).toBe(true);
    owner.kill('SIGKILL');
    await vi.waitFor(() => expect(existsSync(folder)).toBe(false), { timeout: 5_000 });
    expect(isAlive(pid)).toBe(false);
  });

  it('tells that it has ended by itself', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hale-process-'));
    const server = await startServerProcess({ file: '/bin/sh', args: ['-c', 'echo bye'], folder });
    await server.end('SIGTERM');
    expect(server.hasEnded()).toBe(true);
    rmSync(folder, { recursive: true, force: true });
  });
});

describe('a managed server', () => {
  /** A kind of server whose first starts fail with these words. */
  function failing(words: string, starts: number) {
    const folder = mkdtempSync(join(tmpdir(), 'hale-failing-'));
    const ports: number[] = [];
    const fails = () => ports.length <= starts;
    const kind: ServerKind = {
      name: 'failing',
      folder,
      stopSignal: 'SIGKILL',
      spawn: (port) => {
        ports.push(port);
        const script = fails() ? `echo "${words}"; exit 1` : 'exec sleep 30';
        return startServerProcess({ file: '/bin/sh', args: ['-c', script], folder });
      },
      proveReady: () => (fails() ? Promise.reject(Error('no')) : Promise.resolve()),
      url: String,
    };
    return { kind, ports };
  }

  it.each([
    ['listen: Address already in use', 4],
    ["Protocol 'inet_tcp': register/listen error: eaddrinuse", 4],
    ['boot failed', 1],
  ])('after "%s" starts on another port, up to %d times', async (words, starts) => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { kind, ports } = failing(words, starts);
    const server = keep(await startManagedServer(kind));
    expect(new Set(ports).size).toBe(starts + 1);
    expect(server.url).toBe(String(ports.at(-1)));
    expect(String(write.mock.calls[0])).toContain(words);
    await expect(startManagedServer(failing(words, starts + 1).kind)).rejects.toThrow(words);
    write.mockRestore();
  });
});

describe('ensureServers', () => {
  it('resolves when everything is there and rejects unknown names', async () => {
    await ensureServers();
    await expect(ensureServers({ need: ['oracle' as 'redis'] })).rejects.toThrow(
      /need must hold only postgres, redis, .*, got oracle/,
    );
  });

  it('names what to install', () => {
    expect(missingServersError(['postgres', 'redis']).message).toMatch(
      /PostgreSQL server 13 or later[^]*Redis server 6 or later/,
    );
  });
});
