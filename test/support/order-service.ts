import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const DIST = new URL('../../examples/order-service/dist/', import.meta.url);
const START_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 60_000;
const POLL_MS = 25;

/** The service's announcement, see the example's `ready.ts`. */
export interface ReadyLine {
  readonly event: 'ready';
  readonly app: string;
  readonly probes: string;
  readonly diagnostic: string;
  readonly faultProxy: string | null;
  readonly database: string;
  readonly mail: string;
  readonly panelRelay: string | null;
  readonly databasePid: number | null;
  readonly pid: number;
}

/** One probe's answer and how long it took. */
export interface ProbeResult {
  readonly code: number;
  readonly body: { status?: string; reason?: string } & Record<string, unknown>;
  readonly headers: Headers;
  readonly tookMs: number;
}

/** How the process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The real, built order service in a process of its own. */
export interface OrderService {
  readonly ready: ReadyLine;
  readonly urls: Pick<ReadyLine, 'app' | 'probes' | 'diagnostic'>;
  readonly pid: number;
  /** Everything printed so far on both outputs. */
  output(): string;
  /** The log lines so far that are JSON. */
  logs(): Record<string, unknown>[];
  /** Asks a path of the probe port, `/readyz` and the like. */
  probe(path: string): Promise<ProbeResult>;
  /** Asks the application. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** `POST /faults/<what>`, such as `database?mode=cut`; throws unless it is accepted. */
  fault(what: string): Promise<void>;
  /** Polls a probe until it says this (a code, or a reason) and returns the milliseconds it took. */
  until(path: string, wanted: number | string, withinMs: number): Promise<number>;
  /** Resolves once the process has ended. */
  readonly ended: Promise<Ending>;
  /** Sends a signal and waits for nothing. */
  send(signal: NodeJS.Signals): void;
  /** Sends the signal and resolves with the ending; SIGKILL after a minute. */
  stop(signal?: NodeJS.Signals): Promise<Ending>;
}

/** Which entry point runs, with which environment on top of free ports and a propagation delay of 300 ms. */
export interface OrderServiceOptions {
  /** @defaultValue 'start' */
  entry?: 'start' | 'main';
  env?: Record<string, string>;
}

// A drain in a test need not wait for a load balancer that is not there.
const PROPAGATION_DELAY_MS = '300';

function environment(env: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  return {
    ...inherited,
    PORT: '0',
    HALE_PORT: '0',
    HALE_DIAGNOSTIC_PORT: '0',
    HALE_PROPAGATION_DELAY_MS: PROPAGATION_DELAY_MS,
    // Each copy alone, unless a test says otherwise.
    LEASE_URL: 'memory:',
    ...env,
  };
}

/** Starts one of the entry points without waiting for anything. */
export function spawnOrderService({ entry = 'start', env = {} }: OrderServiceOptions = {}) {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`${entry}.js`, DIST))], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', both: '' };
  child.stdout.on('data', (chunk) => {
    printed.stdout += String(chunk);
    printed.both += String(chunk);
  });
  child.stderr.on('data', (chunk) => (printed.both += String(chunk)));
  const ended = once(child, 'close').then((): Ending => ({
    code: child.exitCode,
    signal: child.signalCode,
  }));
  return { child, printed, ended };
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Polls until `look` returns something, and fails with `describe()` after `withinMs`. */
export async function eventually<T>(
  look: () => T | undefined | Promise<T | undefined>,
  withinMs: number,
  describe: () => string,
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > giveUpAt) throw new Error(`not within ${withinMs} ms: ${describe()}`);
    await pause(POLL_MS);
  }
}

async function end(child: ChildProcess, ended: Promise<Ending>, signal: NodeJS.Signals) {
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  const ending = await ended;
  clearTimeout(timer);
  return ending;
}

async function askProbe(url: string): Promise<ProbeResult> {
  const startedAt = performance.now();
  const response = await fetch(url);
  const text = await response.text();
  const tookMs = performance.now() - startedAt;
  const body = JSON.parse(text || '{}') as ProbeResult['body'];
  return { code: response.status, body, headers: response.headers, tookMs };
}

function parseLogs(text: string): Record<string, unknown>[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Record<string, unknown>];
    } catch {
      return [];
    }
  });
}

/** Starts the built order service on free ports and waits for its `ready` line. */
export async function startOrderService(options: OrderServiceOptions = {}): Promise<OrderService> {
  const { child, printed, ended } = spawnOrderService(options);
  const findReady = (): ReadyLine | undefined => {
    const line = printed.stdout.split('\n').find((text) => text.includes('"event":"ready"'));
    if (line !== undefined && line.endsWith('}')) return JSON.parse(line) as ReadyLine;
    if (child.exitCode !== null) throw new Error(`ended before it was ready:\n${printed.both}`);
    return undefined;
  };
  const ready = await eventually(findReady, START_WITHIN_MS, () => printed.both).catch(
    async (error: unknown) => {
      await end(child, ended, 'SIGKILL');
      throw error;
    },
  );
  const probe = (path: string) => askProbe(`${ready.probes}${path}`);
  const ask = (path: string, init?: RequestInit) => fetch(`${ready.app}${path}`, init);
  return {
    ready,
    urls: ready,
    pid: ready.pid,
    output: () => printed.both,
    logs: () => parseLogs(printed.both),
    probe,
    fetch: ask,
    async fault(what) {
      const response = await ask(`/faults/${what}`, { method: 'POST' });
      if (!response.ok) throw new Error(`fault ${what}: ${await response.text()}`);
    },
    async until(path, wanted, withinMs) {
      const startedAt = performance.now();
      let last: ProbeResult | undefined;
      const matches = async () => {
        last = await probe(path);
        return last.code === wanted || last.body.reason === wanted ? true : undefined;
      };
      await eventually(matches, withinMs, () => `${path} ${wanted}, last ${JSON.stringify(last)}`);
      return performance.now() - startedAt;
    },
    ended,
    send: (signal) => void child.kill(signal),
    stop: (signal = 'SIGTERM') => end(child, ended, signal),
  };
}
