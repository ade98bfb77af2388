import type { Check, Status } from '../../core/check.js';
import { HaleError } from '../../core/errors.js';
import { type FaultMode, type FaultProxy, createFaultProxy } from '../fault-proxy.js';
import { createCountingClock } from './counting-clock.js';
import type { Journal } from './journal.js';
import { ownSocketsTo } from './own-sockets.js';
import { eventually, pause } from './pause.js';
import type { ConformanceSettings } from './settings.js';
import { type TimedRun, timedRun } from './timed-run.js';
import type { ConformanceServer, ConformanceSubject, ConformanceTarget } from './types.js';

/** The password of the case that is about a wrong one; has no shape by which a redactor would know it. */
export const WRONG_PASSWORD = 'PlantedHorseStaple';

/** How the check of a case reaches the server. */
export interface Setting {
  readonly through: 'proxy' | 'server';
  readonly password?: 'wrong';
  /** In effect before the check is created. */
  readonly fault?: FaultMode;
}

/** One check before one server, with the means to break what is between them. */
export interface Stage {
  readonly settings: ConformanceSettings;
  readonly server: ConformanceServer;
  readonly journal: Journal;
  /** Connections attempted through the proxies so far. */
  readonly attempts: number;
  fault(mode: FaultMode): Promise<void>;
  /** Runs once; what was seen is in the journal. */
  run(ended?: AbortSignal): Promise<TimedRun>;
  status(): Promise<Status>;
  pause(ms: number): Promise<void>;
  /** Waits until no more than `allowed` connections are open; how many there are. */
  settledConnections(allowed: number): Promise<number>;
  /** Disposes the check, closes its client, and looks for what is left. Idempotent. */
  end(): Promise<void>;
  close(): Promise<void>;
}

/** Puts a new check on a stage of its own. */
export async function openStage(
  settings: ConformanceSettings,
  journal: Journal,
  setting: Setting,
): Promise<Stage> {
  const { clock } = settings;
  const server = typeof settings.server === 'function' ? settings.server() : settings.server;
  const before = await steadyConnections(settings, server);
  const proxies = await openProxies(server, setting.fault);
  const target = createTarget(server, proxies, setting);
  const ports = target.addresses.map(({ port }) => port);
  const socketsBefore = ownSocketsTo(ports);
  const closeProxies = async () => void (await Promise.all(proxies.map((each) => each.close())));
  const timers = createCountingClock(clock);
  const subject = await createSubject(settings, target).catch(async (error: unknown) => {
    await closeProxies();
    throw error;
  });
  const { check } = subject;
  check.start?.({ clock: timers, logger: journal.logger });

  const count = async () => {
    const atProxies = proxies.reduce((sum, each) => sum + each.connections, 0);
    const atServer = ((await server.connections?.()) ?? before) - before;
    return Math.max(atProxies, setting.through === 'server' ? atServer : 0);
  };
  const settledConnections = async (allowed: number) => {
    let open = 0;
    await eventually(clock, settings.closeWithinMs, async () => {
      open = await count();
      return open <= allowed;
    });
    return open;
  };
  const ownSockets = () => ownSocketsTo(ports) - socketsBefore;
  const run = async (ended?: AbortSignal) => {
    const { timeoutMs, slackMs } = settings;
    const timed = await timedRun({
      check,
      clock,
      timeoutMs,
      slackMs,
      ...(ended === undefined ? {} : { ended }),
    });
    journal.saw(timed.outcome);
    if (!timed.settled) {
      journal.violated('deadline', `a run had not ended ${slackMs} ms after its signal aborted`);
    }
    return timed;
  };
  let isOver = false;
  return {
    settings,
    server,
    journal,
    get attempts() {
      return proxies.reduce((sum, each) => sum + each.accepted, 0);
    },
    fault: async (mode) => void (await Promise.all(proxies.map((each) => each.set(mode)))),
    run,
    status: async () => (await run()).outcome.status,
    pause: (ms) => pause(clock, ms),
    settledConnections,
    end: async () => {
      if (isOver) return;
      isOver = true;
      await endSubject(subject);
      const left = await settledConnections(0);
      if (left > 0) journal.violated('left_behind', `${left} connections are open after the end`);
      if (!(await eventually(clock, settings.closeWithinMs, () => ownSockets() <= 0))) {
        journal.violated('left_behind', `${ownSockets()} sockets are not destroyed after the end`);
      }
      if (timers.pendingTimers === 0) return;
      journal.violated('left_behind', `${timers.pendingTimers} timers are set after the end`);
    },
    close: closeProxies,
  };
}

/** Connections that are not the check's; one of before that is just closing must not count among them. */
async function steadyConnections(
  { clock, closeWithinMs }: ConformanceSettings,
  server: ConformanceServer,
): Promise<number> {
  let last = -1;
  await eventually(clock, closeWithinMs, async () => {
    const open = (await server.connections?.()) ?? 0;
    const isSteady = open === last;
    last = open;
    return isSteady;
  });
  return last;
}

function openProxies(server: ConformanceServer, fault?: FaultMode): Promise<FaultProxy[]> {
  return Promise.all(
    server.addresses.map(async ({ host, port }) => {
      const proxy = await createFaultProxy({ target: { host, port } });
      if (fault !== undefined) await proxy.set(fault);
      return proxy;
    }),
  );
}

function createTarget(
  server: ConformanceServer,
  proxies: readonly FaultProxy[],
  { through, password }: Setting,
): ConformanceTarget {
  const proxied = proxies.map(({ port }) => ({ host: '127.0.0.1', port }));
  const addresses = through === 'proxy' ? proxied : server.addresses;
  const [first] = addresses;
  if (first === undefined) throw new HaleError('HALE_STATE', 'the server has no address');
  return {
    ...first,
    addresses,
    at: ({ port }) => {
      // By port: a server may tell another name of its host than the test knows.
      const found = addresses[server.addresses.findIndex((each) => each.port === port)];
      if (found !== undefined) return found;
      throw new HaleError('HALE_STATE', `port ${port} is none of the server's addresses`);
    },
    password: (right) => (password === 'wrong' ? WRONG_PASSWORD : right),
  };
}

async function createSubject(
  settings: ConformanceSettings,
  target: ConformanceTarget,
): Promise<ConformanceSubject> {
  const created = await settings.createSubject(target);
  return 'check' in created ? created : { check: created satisfies Check };
}

async function endSubject({ check, close }: ConformanceSubject): Promise<void> {
  try {
    await check.dispose?.();
  } finally {
    await close?.();
  }
}
