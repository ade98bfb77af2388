import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureServers } from '../../tools/ensure-servers.mjs';
import { type NotifyService, startNotifyService } from '../support/notify-socket.js';
import { bundleProgram, eventually } from '../support/program.js';
import { type UserSystemd, canRunSystemd, startUserSystemd } from '../support/user-systemd.js';

let program: Awaited<ReturnType<typeof bundleProgram>>;
let service: NotifyService | undefined;

beforeAll(async () => {
  await ensureServers({ need: ['python', 'systemd'] });
  program = await bundleProgram('told-service');
});
afterAll(() => program?.remove());
afterEach(async () => {
  await service?.dispose();
  service = undefined;
});

const start = (how: 'inherit' | 'path', env: Record<string, string> = {}) =>
  (service = startNotifyService(program.file, how, env));

const pings = ({ messages }: NotifyService) => messages.filter(({ fields }) => fields['WATCHDOG']);

describe.each(['inherit', 'path'] as const)('E6: systemd, told by %s', (how) => {
  it('hears of the start, of life, and of the end', async () => {
    const running = start(how, { WATCHDOG_USEC: '600000', START_MS: '400' });
    await running.until('STATUS', 'starting, 1 start-up task left');
    expect(running.messages.some(({ fields }) => fields['EXTEND_TIMEOUT_USEC'])).toBe(true);
    const ready = await running.until('READY', '1');
    await running.until('STATUS', 'ready');
    await eventually('three signs of life', () => pings(running).length > 2 || undefined);
    running.kill('SIGTERM');
    const stopping = await running.until('STOPPING', '1');
    expect(stopping.fields['EXTEND_TIMEOUT_USEC']).toBe('8000000');
    expect(await running.ended()).toBe(0);
    // With NotifyAccess=main systemd hears the main process only; as root systemd-notify speaks in its name.
    expect(ready.own).toBe(how === 'inherit' || process.getuid?.() === 0);
  });
});

describe('E6: systemd and a main loop that stands still', () => {
  it('Case 46: no sign of life once liveness fails, and again when the loop turns', async () => {
    const env = { WATCHDOG_USEC: '300000', BLOCK_AFTER_MS: '600', BLOCK_FOR_MS: '3500' };
    const running = start('inherit', env);
    await running.until('STATUS', 'wedged: event_loop_stalled');
    await delay(150);
    const before = pings(running).length;
    await delay(600);
    expect(pings(running)).toHaveLength(before);
    expect(before).toBeGreaterThan(5);
    await eventually('further signs of life', () => pings(running).length > before || undefined);
    expect(running.messages.at(-1)?.own).toBe(true);
  });

  it('Case 46: a block that liveness allows ends no sign of life', async () => {
    const env = { WATCHDOG_USEC: '300000', BLOCK_AFTER_MS: '300', BLOCK_FOR_MS: '1500' };
    const running = start('inherit', { ...env, STALL_AFTER_MS: '5000' });
    const ready = await running.until('READY', '1');
    await delay(2000);
    const times = [ready.at, ...pings(running).map(({ at }) => at)];
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
    expect(gaps.length).toBeGreaterThan(10);
    expect(Math.max(...gaps)).toBeLessThan(300);
  });
});

describe('E6: systemd told by a function of the caller', () => {
  it('gets every message there and no other', async () => {
    const running = start('path', { SEND: 'own' });
    await eventually('what the function got', () =>
      running.stderr().includes('READY=1') ? true : undefined,
    );
    running.kill('SIGTERM');
    expect(await running.ended()).toBe(0);
    expect(running.stderr()).toContain('STOPPING=1');
    expect(running.messages).toEqual([]);
  });
});

/** What a service under test is: its watchdog, and what its program does. */
const SERVICES: Readonly<Record<string, readonly string[]>> = {
  healthy: [
    'WatchdogSec=2',
    env({ STALL_AFTER_MS: 5000, BLOCK_AFTER_MS: 300, BLOCK_FOR_MS: 3000 }),
  ],
  wedged: ['WatchdogSec=2', env({ STALL_AFTER_MS: 1000, BLOCK_FOR_MS: 60_000 })],
  // Node.js itself takes its time on a busy machine before it can ask for more.
  slow: ['TimeoutStartSec=3', env({ START_MS: 5500 })],
};

function env(values: Readonly<Record<string, number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `Environment=${name}=${value}`)
    .join('\n');
}

// Where a test may not run a service manager, the one with a socket of its own has to do.
/** None where a test may run no service manager: there the socket of the test has to do. */
const MANAGERS = canRunSystemd() ? ['a real systemd'] : [];

describe.each(MANAGERS)('E6: hale under %s', () => {
  let systemd: UserSystemd;

  beforeAll(async () => {
    const common = [
      'Type=notify',
      'NotifyAccess=all',
      'TimeoutAbortSec=1',
      `Environment=PATH=${process.env['PATH']}`,
      `ExecStart=${process.execPath} ${program.file}`,
    ];
    systemd = await startUserSystemd(
      Object.fromEntries(
        Object.entries(SERVICES).map(([name, lines]) => [name, [...common, ...lines]]),
      ),
    );
    for (const name of Object.keys(SERVICES)) systemd.start(name);
  });
  afterAll(async () => {
    await systemd?.dispose();
  });

  const becomes = (name: string, property: string, value: string) =>
    eventually(`${name} with ${property}=${value}`, async () => {
      await delay(100);
      return systemd.show(name)[property] === value || undefined;
    });

  it('Case 46: a service is up when it has started, and stays up through a block it may take', async () => {
    await becomes('healthy', 'ActiveState', 'active');
    await becomes('healthy', 'StatusText', 'ready');
    await delay(5000);
    expect(systemd.show('healthy')).toMatchObject({ ActiveState: 'active', NRestarts: '0' });
  });

  it('L8: a service whose main loop stands still is ended by the watchdog', async () => {
    await becomes('wedged', 'Result', 'watchdog');
    expect(systemd.show('wedged')['ActiveState']).toMatch(/^(deactivating|failed)$/);
  });

  it('S3: a start within its own budget gets more time than TimeoutStartSec', async () => {
    await becomes('slow', 'StatusText', 'ready');
    expect(systemd.show('slow')).toMatchObject({ ActiveState: 'active', Result: 'success' });
  });

  it('D1, D6: a service that is stopped drains and ends well', () => {
    systemd.stop('healthy');
    expect(systemd.show('healthy')).toMatchObject({
      ActiveState: 'inactive',
      Result: 'success',
      ExecMainStatus: '0',
    });
  });
});
