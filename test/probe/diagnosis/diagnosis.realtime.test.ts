import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../../src/core/diagnosis.js';
import type { BoundAddress } from '../../../src/core/probe-host.js';
import { systemClock } from '../../../src/engine/system-clock.js';
import { createEventStreams } from '../../../src/probe/diagnosis/event-streams.js';
import { createMainSampler } from '../../../src/probe/diagnosis/main-sampler.js';
import { createPace } from '../../../src/probe/pace.js';
import { createManualClock } from '../../../src/testing/manual-clock.js';
import { type EventReader, openEvents } from '../../support/event-stream.js';
import { bundleProgram, eventually, type Program, startProgram } from '../../support/program.js';
import { probe } from '../../support/probing.js';
import { problemsOf } from './diagnosis-kit.js';

const STATUS = '/healthz/status';
const TOKEN = 'correct-horse-battery-staple';

let bundle: Awaited<ReturnType<typeof bundleProgram>>;
let program: Program;
let port = 0;
const readers: EventReader[] = [];

beforeAll(async () => {
  bundle = await bundleProgram('diagnosed-service');
});
afterAll(() => bundle?.remove());
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await program?.stop();
});

async function start(setting: object = {}): Promise<void> {
  program = startProgram(bundle.file, { args: [JSON.stringify(setting)] });
  const { addresses } = await program.message('listening');
  const bound = (addresses as BoundAddress[]).find(({ kind }) => kind === 'diagnostic');
  port = bound?.port ?? 0;
}

async function read(...args: Parameters<typeof openEvents>): Promise<EventReader> {
  const reader = await openEvents(...args);
  readers.push(reader);
  return reader;
}

async function documentNow(): Promise<Diagnosis> {
  const { text } = await probe(port, STATUS);
  return (JSON.parse(text) as { diagnosis: Diagnosis }).diagnosis;
}

const ready = ({ probes }: Diagnosis): boolean => probes.readiness.status === 'pass';

describe.each(['thread', 'inline'] as const)('the diagnosis of a service (%s)', (isolation) => {
  it('E4 O2: tells of a database that fails, why and since when, and no password', async () => {
    await start({ isolation });
    const events = await read(port);
    await events.until('ready', ready);
    program.send({ do: 'fail' });
    const failed = await events.until('not ready', ({ probes }) => {
      return probes.readiness.reason === 'check_failed:database';
    });
    for (const document of events.documents) expect(problemsOf(document)).toStrictEqual([]);
    const [chain] = failed.probes.readiness.why;
    expect(chain?.map(({ kind }) => kind)).toStrictEqual([
      'reason',
      'verdict',
      'outcome',
      'outcome',
      'outcome',
      'error',
    ]);
    const { text, status, headers } = await probe(port, STATUS);
    expect(status).toBe(503);
    expect(headers['vary']).toBe('Accept');
    expect(headers['content-type']).toBe('application/health+json');
    expect(text).toContain('refused');
    expect(text + JSON.stringify(events.documents)).not.toContain('hunter2');
    const { timeline, process: seen } = (JSON.parse(text) as { diagnosis: Diagnosis }).diagnosis;
    expect(timeline.slice(0, 2)).toMatchObject([
      { kind: 'probe', name: 'readiness', from: 'pass', to: 'fail' },
      { kind: 'check', name: 'database', from: 'pass', to: 'fail' },
    ]);
    expect(seen.rssBytes).toBeGreaterThan(1e7);
    expect(seen.memoryLimitBytes).toBeGreaterThan(seen.rssBytes / 2);
    expect(seen.main?.heapUsedBytes).toBeGreaterThan(1e6);
    expect(seen.main?.ageMs).toBeLessThan(2000);
    expect(seen.series.length).toBeGreaterThan(0);
    expect('loopBeatAgeMs' in seen).toBe(isolation === 'thread');
  });
});

describe('the diagnosis, while the main loop stands still', () => {
  it('L3 L8 E4: is answered, says so, shows the stack, and what main told grows old', async () => {
    await start();
    const events = await read(port);
    await events.until('with readings of main', ({ process: seen }) => seen.main !== undefined);
    program.send({ do: 'block', ms: 4000 });
    const seen = await events.until('with a stack', ({ stall }) => {
      return stall?.cause.kind === 'javascript';
    });
    const began = performance.now();
    const document = await documentNow();
    expect(performance.now() - began).toBeLessThan(500);
    expect(problemsOf(document)).toStrictEqual([]);
    expect(program.messages.some(({ event }) => event === 'turned')).toBe(false);
    expect(document.process.loopStalled).toBe(true);
    expect(document.process.loopBeatAgeMs).toBeGreaterThan(1000);
    expect(document.stall).toMatchObject({ ongoing: true, cause: { kind: 'javascript' } });
    expect(JSON.stringify(seen.stall)).toContain('blockTheLoop');
    expect(document.probes.liveness.reason).toBe('event_loop_stalled');
    expect(document.timeline[0]?.text ?? document.timeline[1]?.text).toBeDefined();
    await delay(500);
    const later = await documentNow();
    const ageOf = ({ process: readings }: Diagnosis): number => readings.main?.ageMs ?? 0;
    expect(ageOf(document)).toBeGreaterThan(900);
    expect(ageOf(later)).toBeGreaterThan(ageOf(document) + 400);
    const after = await events.until('after the stall', ({ stall }) => stall?.ongoing === false);
    expect(after.process.loopStalled).toBe(false);
    expect(after.stall?.blockedForMs).toBeGreaterThan(3500);
    const stalls = after.timeline.filter(({ kind }) => kind === 'stall');
    expect(stalls.map(({ to }) => to)).toStrictEqual(['turning', 'standing']);
    expect(stalls[1]?.text).toContain('blockTheLoop');
    // O2: lines of both threads are written alike.
    const lines = program.logs();
    expect(lines.map(({ event }) => event)).toContain('liveness_failed');
    for (const { time } of lines) expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });
});

describe('the diagnosis, while the service drains', () => {
  it('D1 E4: shows each step as it comes, what it waits for, and no secret', async () => {
    await start();
    const events = await read(port);
    await events.until('ready', ready);
    program.send({ do: 'drain' });
    const stateOf = ({ drain }: Diagnosis, name: string) =>
      drain?.steps.find(({ step }) => step === name)?.state;
    const first = await events.until('draining', ({ phase }) => phase === 'draining');
    expect(first.drain?.steps).toHaveLength(6);
    expect(first.drain?.reason).toBe('deploy of postgres://[redacted]@db');
    const waiting = await events.until('in flight', (seen) => {
      return stateOf(seen, 'in_flight') === 'running';
    });
    expect(waiting.drain?.open.join()).toMatch(/export for password=\[redacted\] for \d/);
    expect(waiting.drain?.leftMs).toBeGreaterThan(10_000);
    expect(waiting.probes.readiness.why[0]?.[1]?.text).toMatch(/^draining: deploy of .* s left$/);
    expect(stateOf(waiting, 'propagation')).toBe('done');
    expect(JSON.stringify(events.documents)).not.toContain('hunter2');
    for (const document of events.documents) expect(problemsOf(document)).toStrictEqual([]);
  });
});

describe('the events of the diagnosis', () => {
  it('E4: ask for the token as everything there does', async () => {
    await start({ token: TOKEN });
    expect((await read(port)).status).toBe(401);
    const allowed = await read(port, { authorization: `Bearer ${TOKEN}` });
    expect(allowed.status).toBe(200);
    expect(allowed.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect((await probe(port, `${STATUS}/events`, { method: 'HEAD' })).status).toBe(401);
  });

  it('E4: are for sixteen, by GET, on the diagnostic port only, and end with the service', async () => {
    await start();
    const open = await Promise.all(Array.from({ length: 16 }, () => read(port)));
    expect(open.map(({ status }) => status)).toStrictEqual(open.map(() => 200));
    const refused = await read(port);
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('5');
    open[0]?.close();
    await eventually('a free place', async () => {
      const reader = await read(port);
      return reader.status === 200 ? reader : undefined;
    });
    for (const method of ['HEAD', 'POST']) {
      const { status, headers } = await probe(port, `${STATUS}/events`, { method });
      expect([status, headers['allow']]).toStrictEqual([405, 'GET']);
    }
    const { addresses } = await program.message('listening');
    const [probes] = addresses as BoundAddress[];
    expect((await probe(probes?.port ?? 0, `${STATUS}/events`)).status).toBe(404);
    expect((await probe(probes?.port ?? 0, '/livez')).status).toBe(200);
    program.send({ do: 'dispose' });
    expect(await program.exit(3000)).toBe(0);
    await eventually('the end of the events', () => open.every(({ ended }) => ended) || undefined);
  });

  it('E4: one connection that asks many times over leaves no place taken behind', async () => {
    await start();
    const socket = connect(port, '127.0.0.1');
    const asked = `GET ${STATUS}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    socket.write(asked.repeat(20));
    await once(socket, 'data');
    socket.destroy();
    const free = await eventually('sixteen free places', async () => {
      const open = await Promise.all(Array.from({ length: 16 }, () => read(port)));
      for (const reader of open) reader.close();
      return open.every(({ status }) => status === 200) || undefined;
    });
    expect(free).toBe(true);
  });

  it('E4: a browser gets the page, and a program the report', async () => {
    await start();
    // What it answers would otherwise change from one request to the next.
    await (await read(port)).until('ready', ready);
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const page = await probe(port, STATUS, { headers: { accept } });
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['vary']).toBe('Accept');
    expect(page.text).toMatch(/^<!doctype html>/i);
    const report = await probe(port, `${STATUS}?history=none`, { headers: { accept: '*/*' } });
    expect(report.headers['content-type']).toBe('application/health+json');
    const { diagnosis } = JSON.parse(report.text) as { diagnosis: Diagnosis };
    expect(diagnosis.checks[0]?.history).toStrictEqual([]);
    const head = await probe(port, STATUS, { method: 'HEAD' });
    expect([head.status, head.text]).toStrictEqual([report.status, '']);
  });

  it('E4: a reader that stops reading holds one document, and then gets the latest', async () => {
    let made = 0;
    const padding = 'x'.repeat(5e6);
    // On which nothing takes long: the next event comes after a second, however busy the machine.
    const clock = { ...systemClock, now: () => 0 };
    const streams = createEventStreams({
      clock,
      pace: createPace(clock),
      audience: { stay: () => () => {} },
      *document() {
        yield;
        return { uptimeMs: (made += 1), findings: [padding], checks: [] } as unknown as Diagnosis;
      },
      onError(error) {
        throw error;
      },
    });
    const waiting: (() => number)[] = [];
    const server = createServer((request, response) => {
      streams.take(request, response);
      waiting.push(() => response.writableLength);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port: own } = server.address() as AddressInfo;
    const slow = await read(own);
    slow.pause();
    const quick = await read(own);
    await eventually('three events', () => quick.documents.length >= 3 || undefined, 20_000);
    expect(waiting[0]?.()).toBeGreaterThan(0);
    expect(waiting[0]?.()).toBeLessThan(5.1e6);
    slow.resume();
    const missed = made;
    await slow.until('that is new', ({ uptimeMs }) => uptimeMs > missed, 20_000);
    expect(slow.documents.map(({ uptimeMs }) => uptimeMs).filter((at) => at < missed)).toHaveLength(
      1,
    );
    streams.close();
    await eventually('the end', () => (slow.ended && quick.ended) || undefined);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('what the main loop reads of itself', () => {
  it('E4: collections count from the first look until a minute after the last', async () => {
    const clock = createManualClock();
    const sampler = createMainSampler(clock);
    expect(sampler.read().gc.pauses).toBe(0);
    expect(clock.pendingTimers).toBe(1);
    const pauses = await eventually('a collection', async () => {
      litter();
      await delay(20);
      const { gc } = sampler.read();
      return gc.pauses > 0 ? gc : undefined;
    });
    expect(pauses.longestMs).toBeGreaterThan(0);
    expect(pauses.totalMs).toBeGreaterThanOrEqual(pauses.longestMs);
    await clock.advance(61_000);
    expect(clock.pendingTimers).toBe(0);
    litter();
    await delay(20);
    // Nobody looked: what happened meanwhile was not counted.
    expect(sampler.read().gc).toStrictEqual({ pauses: 0, totalMs: 0, longestMs: 0 });
    sampler.dispose();
    expect(clock.pendingTimers).toBe(0);
  });
});

/** Makes garbage enough for a collection of the young. */
function litter(): void {
  for (let index = 0; index < 200; index += 1) Array.from({ length: 10_000 }, (_, at) => ({ at }));
}
