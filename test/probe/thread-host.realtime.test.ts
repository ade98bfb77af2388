import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isHaleError } from '../../src/core/errors.js';
import type { StallEnd } from '../../src/core/probe-host.js';
import { checkView, startedState } from '../core/probe-state-builders.js';
import { bundleProgram, eventually, type Program, startProgram } from '../support/program.js';
import { probe, probeOptions } from '../support/probing.js';
import { rawConnection } from '../support/raw-http.js';
import { findFreePort } from '../support/servers/server-process.js';
import { createHostKit, type HostKit, ISOLATIONS } from './host-kit.js';

const kits: HostKit[] = [];
const programs: Program[] = [];
const bundles: { remove: () => void }[] = [];

function create(...args: Parameters<typeof createHostKit>): HostKit {
  const kit = createHostKit(...args);
  kits.push(kit);
  return kit;
}

function run(...args: Parameters<typeof startProgram>): Program {
  const program = startProgram(...args);
  programs.push(program);
  return program;
}

afterEach(async () => {
  await Promise.all(kits.splice(0).map(({ host }) => host.dispose()));
  await Promise.all(programs.splice(0).map((program) => program.stop()));
});
afterAll(() => {
  for (const bundle of bundles) bundle.remove();
});

function onPort(port: number, host?: string) {
  const { listener } = probeOptions();
  if (listener === false) throw new Error('the probe listener is off');
  const { host: _host, ...rest } = listener;
  return { listener: { ...rest, port, ...(host === undefined ? {} : { host }) } };
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe.each(ISOLATIONS)('a host, %s', (isolation) => {
  it('E5: with no host given it answers on IPv4 and IPv6, and reports what it bound', async () => {
    const kit = create(isolation, onPort(0));
    const port = await kit.start();
    expect(port).toBeGreaterThan(0);
    expect((await probe(port, '/livez')).status).toBe(200);
    expect((await probe(port, '/livez', { host: '::1' })).status).toBe(200);
  });

  it('E5: a taken port is a clear error that names it and what to set', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const error = await rejection(create(isolation, onPort(port, '127.0.0.1')).start());
    taken.close();
    expect(isHaleError(error, 'HALE_PORT_IN_USE')).toBe(true);
    expect((error as Error).message).toMatch(
      new RegExp(`127\\.0\\.0\\.1:${port}.*probes\\.port \\(HALE_PORT\\)`),
    );
  });

  it('E5: an address that is not ours is a listen error', async () => {
    const error = await rejection(create(isolation, onPort(0, '192.0.2.1')).start());
    expect(isHaleError(error, 'HALE_LISTEN_FAILED')).toBe(true);
  });

  it('E4: the diagnostic listener has the full report, the public port does not', async () => {
    const { listener } = probeOptions();
    const diagnostic = listener && { ...listener, host: '127.0.0.1', tokens: [] };
    const kit = create(isolation, { diagnostic });
    const port = await kit.start();
    kit.host.publish({ checks: [checkView('cache', { impact: 'optional' })] });
    const status = await eventually('the published check', async () => {
      const seen = await probe(kit.port('diagnostic'), '/healthz/status');
      return seen.text.includes('"cache"') ? seen : undefined;
    });
    expect(JSON.parse(status.text)).toMatchObject({ status: 'pass', phase: 'running' });
    expect((await probe(port, '/healthz/status')).status).toBe(404);
    expect((await probe(kit.port('diagnostic'), '/readyz?verbose')).text).toContain('"cache"');
    expect((await probe(port, '/readyz?verbose')).text).not.toContain('cache');
  });

  it('R1: draining on the board is answered at once', async () => {
    const kit = create(isolation);
    const port = await kit.start();
    expect((await probe(port, '/readyz')).status).toBe(200);
    kit.host.board.setPhase('draining');
    expect((await probe(port, '/readyz')).reason).toBe('draining');
    expect((await probe(port, '/livez')).status).toBe(200);
  });

  it('C6: a thousand on-demand probes at once cause one evaluation, with its results in the answer', async () => {
    const kit = create(
      isolation,
      { onDemandWaitMs: 10_000 },
      {
        async evaluate() {
          // Who asks after it has ended causes another: all have to be read before.
          await delay(1200);
          kit.host.publish({ checks: [checkView('shop', { verdict: 'fail', freshUntil: 1e15 })] });
        },
      },
    );
    const port = await kit.start();
    kit.host.publish({ state: { ...startedState(), onDemand: true } });
    await delay(100);
    const connections = await Promise.all(Array.from({ length: 50 }, () => rawConnection(port)));
    for (const { write } of connections) write('GET /readyz HTTP/1.1\r\n\r\n'.repeat(20));
    const answered = (): number =>
      connections.flatMap(({ text }) => text().match(/check_failed:shop/g) ?? []).length;
    await eventually('1000 answers', () => (answered() === 1000 ? true : undefined));
    for (const connection of connections) connection.end();
    expect(kit.evaluations).toBe(1);
  });

  it('C6: an evaluation that does not come back does not hold the answer', async () => {
    const kit = create(
      isolation,
      { onDemandWaitMs: 200 },
      { evaluate: () => new Promise(() => {}) },
    );
    const port = await kit.start();
    kit.host.publish({ state: { ...startedState(), onDemand: true } });
    await delay(100);
    const { status, ms } = await probe(port, '/readyz');
    expect(status).toBe(200);
    expect(ms).toBeGreaterThanOrEqual(190);
    expect(kit.evaluations).toBe(1);
  });

  it('E5: disposes twice, before and after a start, and does not start again', async () => {
    const kit = create(isolation);
    const port = await kit.start();
    await Promise.all([kit.host.dispose(), kit.host.dispose()]);
    await expect(probe(port, '/livez')).rejects.toThrow('ECONNREFUSED');
    expect(isHaleError(await rejection(kit.host.start()), 'HALE_DISPOSED')).toBe(true);
    await create(isolation).host.dispose();
  });

  it('E5: leaves nothing open when it is disposed while it starts', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'hale-host-'));
    const at = { host: '127.0.0.1', port: await findFreePort() };
    const grpc = { ...at, port: await findFreePort() };
    const files = { liveness: path.join(folder, 'live') };
    const exitListeners = process.listenerCount('exit');
    const { host } = create(isolation, { agentCheck: at, grpc, files });
    host.board.setPhase('running');
    const started = host.start().catch(() => {});
    await host.dispose();
    await started;
    for (const { port } of [at, grpc])
      await expect(rawConnection(port)).rejects.toThrow('ECONNREFUSED');
    expect(readdirSync(folder)).toEqual([]);
    expect(process.listenerCount('exit')).toBe(exitListeners);
    rmSync(folder, { recursive: true });
  });
});

describe('the probe thread', () => {
  let file: string;

  beforeAll(async () => {
    const bundle = await bundleProgram('probe-service');
    bundles.push(bundle);
    file = bundle.file;
  });

  it('E5: is started again on the same port when it ends, with the last state', async () => {
    // The real thread, which also ends by itself after a while.
    const { threadSource } = await import('../../src/probe/thread-source.generated.js');
    const kit = create(
      'thread',
      {},
      {
        threadSource: `${threadSource}\nsetTimeout(() => { throw new Error('broken') }, 700);`,
      },
    );
    const port = await kit.start();
    kit.host.publish({ checks: [checkView('shop', { verdict: 'fail', freshUntil: 1e15 })] });
    await eventually('error', () => (kit.errors.length > 0 ? true : undefined));
    const seen = await eventually('answer', () => probe(port, '/readyz').catch(() => undefined));
    expect(seen.reason).toBe('check_failed:shop');
    expect(isHaleError(kit.errors[0], 'HALE_PROBE_THREAD_FAILED')).toBe(true);
  });

  it('O1: counts mounted probes from 0 again when it was started again, as it does its own', async () => {
    const { threadSource } = await import('../../src/probe/thread-source.generated.js');
    const folder = mkdtempSync(path.join(tmpdir(), 'hale-ends-'));
    bundles.push({ remove: () => rmSync(folder, { recursive: true, force: true }) });
    const file = path.join(folder, 'end');
    const end = `try { require('node:fs').unlinkSync(${JSON.stringify(file)}); } catch { return; }`;
    const ends = `${threadSource}\nsetInterval(() => { ${end} throw new Error('broken'); }, 20);`;
    const kit = create('thread', {}, { threadSource: ends });
    const port = await kit.start();
    for (let count = 0; count < 7; count += 1) await kit.host.handler.handle({ url: '/livez' });
    const answers = async (): Promise<number | undefined> => {
      const { text } = await probe(port, '/metrics').catch(() => ({ text: '' }));
      const line = /^hale_probe_answers_total\{probe="liveness",reason="ok",status="200"\} (\d+)$/m;
      const found = line.exec(text)?.[1];
      return found === undefined ? undefined : Number(found);
    };
    const told = async () => ((await answers()) === 7 ? true : undefined);
    await eventually('the answers on the thread', told);
    writeFileSync(file, '');
    await eventually('the end', () => (kit.errors.length > 0 ? true : undefined));
    expect(await eventually('the next thread', answers)).toBe(0);
    await kit.host.handler.handle({ url: '/livez' });
    const anew = async () => ((await answers()) === 1 ? true : undefined);
    expect(await eventually('the answer since', anew)).toBe(true);
  }, 20_000);

  it('E5: is started once more when it could not be started again', async () => {
    const { threadSource } = await import('../../src/probe/thread-source.generated.js');
    // The board's last word, which nothing uses, counts the starts: the second fails.
    const count = `const { workerData } = require('node:worker_threads');
      const start = Atomics.add(new Int32Array(workerData.board, 0, 16), 15, 1);
      if (start === 1) throw new Error('no second start');
      if (start === 0) setTimeout(() => { throw new Error('broken') }, 300);`;
    const kit = create('thread', {}, { threadSource: `${count}\n${threadSource}` });
    const port = await kit.start();
    await eventually('two errors', () => (kit.errors.length > 1 ? true : undefined));
    const seen = await eventually('answer', () => probe(port, '/readyz').catch(() => undefined));
    expect(seen.status).toBe(200);
    expect(String(kit.errors[1])).toContain('no second start');
  });

  it('E5: that cannot run is a clear error', async () => {
    const kit = create('thread', {}, { threadSource: 'throw new Error("no such thing")' });
    const error = await rejection(kit.start());
    expect(isHaleError(error, 'HALE_PROBE_THREAD_FAILED')).toBe(true);
    expect((error as Error).message).toContain('no such thing');
  });

  it('E5: does not keep a process alive, and dispose lets it end by itself', async () => {
    const program = run(file, { args: [JSON.stringify(probeOptions())] });
    await program.message('listening');
    program.send({ do: 'dispose' });
    expect(await program.exit()).toBe(0);
    const idle = run(file, { args: [JSON.stringify(probeOptions())] });
    await idle.message('listening');
    idle.child.disconnect();
    expect(await idle.exit()).toBe(0);
  });

  it('E5: loads no preload of the application, from flags or NODE_OPTIONS', async () => {
    const preload = path.join(path.dirname(file), 'preload.mjs');
    const trace = `import { isMainThread } from 'node:worker_threads';\nprocess._rawDebug('preload', isMainThread);\n`;
    writeFileSync(preload, trace);
    const { href } = pathToFileURL(preload);
    for (const start of [
      { execArgv: ['--import', href] },
      { env: { NODE_OPTIONS: `--import ${href}` } },
    ]) {
      const program = run(file, { args: [JSON.stringify(probeOptions())], ...start });
      await program.message('listening');
      expect(program.stderr()).toContain('preload true');
      expect(program.stderr()).not.toContain('preload false');
    }
  });

  it('E5: is refused by the permission model with advice', async () => {
    const execArgv = ['--experimental-permission', '--allow-fs-read=*'];
    const program = run(file, { args: [JSON.stringify(probeOptions())], execArgv });
    const failed = await program.message('failed');
    expect(failed['code']).toBe('HALE_PROBE_THREAD_FAILED');
    expect(failed['message']).toMatch(/--allow-worker.*isolation/);
  });

  it('L7: does not resume what a debugger of the user has paused', async () => {
    const args = [JSON.stringify(probeOptions({ stallAfterMs: 1000 }))];
    const program = run(file, { args });
    await program.message('listening');
    program.send({ do: 'debug', ms: 3500 });
    const { report } = await program.message('stall');
    const why = 'a debugger has paused the main thread';
    expect(report).toMatchObject({ cause: { kind: 'unavailable', why } });
    const { end } = await program.message('stall-end');
    expect((end as StallEnd).blockedForMs).toBeGreaterThan(2500);
  });

  it('L7: names the culprit also while the inspector is open', async () => {
    const args = [JSON.stringify(probeOptions({ stallAfterMs: 1000 }))];
    const program = run(file, { args, execArgv: ['--inspect=127.0.0.1:0'] });
    await program.message('listening');
    program.send({ do: 'block', ms: 2500 });
    const { functionName, cause } = await program.log('event_loop_blocked');
    expect(functionName, JSON.stringify(cause)).toBe('blockTheLoop');
    await program.message('done');
  });

  it.each(ISOLATIONS)(
    'E5: a cluster worker that finds the port taken says so, %s',
    async (isolation) => {
      const bundle = await bundleProgram('cluster-service');
      bundles.push(bundle);
      const program = run(bundle.file, { args: [isolation] });
      const second = await program.message('second');
      expect(second['code']).toBe('HALE_PORT_IN_USE');
      expect(second['message']).toMatch(/cluster worker/);
    },
  );
});
