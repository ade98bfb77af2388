import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BoundAddress } from '../../src/core/probe-host.js';
import type { HealthOptions } from '../../src/index.js';
import { listeningSockets } from '../support/listening-sockets.js';
import { type Program, bundleProgram, eventually, startProgram } from '../support/program.js';
import type { Command } from '../support/programs/listening-service.js';
import { ISOLATIONS } from './host-kit.js';

let bundle: Awaited<ReturnType<typeof bundleProgram>>;
let folder: string;
let program: Program;
let id = 0;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'hale-sockets-'));
  bundle = await bundleProgram('listening-service');
  program = startProgram(bundle.file);
  await program.message('ready');
});
afterAll(async () => {
  await program?.stop();
  bundle?.remove();
  rmSync(folder, { recursive: true, force: true });
});
const order = (command: Command) => program.send(command);
const reachable = () =>
  listeningSockets(program.pid)
    .map(({ kind, at }) => `${kind} ${at}`)
    .toSorted();

/** Starts a service and returns where it says that it listens. */
async function start(options: HealthOptions): Promise<{ kinds: string[]; says: string[] }> {
  id += 1;
  order({ do: 'start', id, options });
  const { addresses } = (await program.message(`started ${id}`)) as { addresses?: BoundAddress[] };
  const said = addresses ?? [];
  return {
    kinds: said.map(({ kind }) => kind),
    says: said
      .map(({ host, port }) => `tcp ${host.includes(':') ? `[${host}]` : host}:${port}`)
      .toSorted(),
  };
}

async function stop(): Promise<void> {
  order({ do: 'dispose', id });
  await program.message(`disposed ${id}`);
}

const here = { host: '127.0.0.1', port: 0 };
const others = { tcp: { port: 0 }, agentCheck: { port: 0 }, grpc: { port: 0 } };
const off = { probes: false, diagnostic: false } as const;

const CONFIGURATIONS: readonly [name: string, kinds: readonly string[], options: HealthOptions][] =
  [
    [
      'the defaults, on free ports',
      ['probes', 'diagnostic'],
      { probes: { port: 0 }, diagnostic: { port: 0 } },
    ],
    ['no probe port', ['diagnostic'], { probes: false, diagnostic: here }],
    ['no diagnostic port', ['probes'], { probes: here, diagnostic: false }],
    ['neither', [], off],
    [
      'every protocol',
      ['probes', 'diagnostic', 'tcp', 'agentCheck', 'grpc'],
      { probes: { ...here, ...others }, diagnostic: here },
    ],
    [
      'gRPC on IPv6',
      ['probes', 'grpc'],
      { probes: { ...here, grpc: { host: '::1', port: 0 } }, diagnostic: false },
    ],
    [
      'what is told without being asked',
      ['probes'],
      {
        probes: { ...here, files: { readiness: path.join(tmpdir(), 'hale-sockets-ready') } },
        diagnostic: false,
        systemd: true,
        env: { NOTIFY_SOCKET: '/nowhere/notify', PATH: '/nowhere' },
      },
    ],
    [
      'the environment',
      ['probes', 'diagnostic', 'tcp'],
      { probes: here, diagnostic: here, env: { HALE_TCP_PORT: '0' } },
    ],
  ];

it('E5: a service that has not been started cannot be reached at all', () => {
  expect(reachable()).toEqual([]);
});

describe.each(ISOLATIONS)('E5: sockets of the process (%s)', (isolation) => {
  it.each(CONFIGURATIONS)('are those of %s, and no other', async (_, kinds, options) => {
    const { kinds: opened, says } = await start({ ...options, isolation });
    expect(opened).toEqual(kinds);
    // The TCP listener opens when readiness passes.
    await eventually(
      'sockets',
      () => reachable().length === says.length || undefined,
      5000,
      () => JSON.stringify({ says, reachable: reachable() }),
    );
    expect(reachable()).toEqual(says);
    await stop();
    expect(reachable()).toEqual([]);
  });
});

describe('E5: sockets of the process', () => {
  it('do without the TCP port while readiness fails', async () => {
    const { says } = await start({ probes: { ...here, tcp: { port: 0 } }, diagnostic: false });
    await eventually('the port', () => reachable().length === 2 || undefined);
    expect(reachable()).toEqual(says);
    order({ do: 'maintenance', on: true });
    await eventually('the port closed', () => reachable().length === 1 || undefined);
    await stop();
  });

  it('would be seen if there were another one', async () => {
    await start(off);
    order({ do: 'listen' });
    await program.message('listening');
    expect(reachable()).toEqual([expect.stringMatching(/^tcp 127\.0\.0\.1:\d+$/)]);
  });
});
