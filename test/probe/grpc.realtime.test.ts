import { connect as connectHttp2 } from 'node:http2';
import { status as code } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { checkView } from '../core/probe-state-builders.js';
import { type GrpcHealthClient, createGrpcHealthClient } from '../support/grpc-health-client.js';
import { eventually } from '../support/program.js';
import { startPythonGrpc } from '../support/python-grpc.js';
import { ensureServers } from '../../tools/ensure-servers.mjs';
import { rawConnection } from '../support/raw-http.js';
import { type HostKit, ISOLATIONS, createHostKit } from './host-kit.js';

const grpc = { host: '127.0.0.1', port: 0 };
const gates = { leaseLost: false, maintenance: false, atCapacity: false };
const database = checkView('order database', { freshUntil: Number.MAX_SAFE_INTEGER });

let kit: HostKit;
let client: GrpcHealthClient;
afterEach(async () => {
  client?.close();
  await kit.host.dispose();
});

async function setUp(...[isolation, changes, more]: Parameters<typeof createHostKit>) {
  kit = createHostKit(isolation, { grpc, ...changes }, more);
  await kit.start();
  client = createGrpcHealthClient(kit.port('grpc'));
}

describe.each(ISOLATIONS)('E6: the gRPC health protocol (%s)', (isolation) => {
  it('Check answers for the server, the probes and, with details, the checks', async () => {
    await setUp(isolation, { details: true });
    kit.host.publish({ checks: [database] });
    for (const service of ['', 'liveness', 'readiness', 'startup', 'order database'])
      expect(await client.check(service)).toBe('SERVING');
    kit.host.publish({ checks: [{ ...database, verdict: 'fail' }] });
    expect(await client.check('order database')).toBe('NOT_SERVING');
    expect(await client.check('')).toBe('NOT_SERVING');
    expect(await client.check('liveness')).toBe('SERVING');
  });

  it('is understood by a client on the C core, which watches by itself', async () => {
    await ensureServers({ need: ['python', 'python-grpc'] });
    await setUp(isolation);
    const seen = async (...[what, service]: ['check' | 'watch', string]) => {
      const python = startPythonGrpc(kit.port('grpc'), what, service);
      if (what === 'watch') {
        await eventually('its first status', () => python.told.length === 1 || undefined);
        kit.host.board.setPhase('draining');
        await eventually('the next', () => python.told.length === 2 || undefined);
        kit.host.board.setPhase('stopped');
      }
      await python.ended();
      return python.told;
    };
    expect(await seen('check', 'liveness')).toEqual(['SERVING']);
    expect(await seen('check', 'nobody')).toEqual(['NOT_FOUND']);
    expect(await seen('watch', '')).toEqual(['SERVING', 'NOT_SERVING', 'UNAVAILABLE']);
  });

  it('Watch sends the present status at once, each change once, and ends with the drain', async () => {
    await setUp(isolation);
    const watch = client.watch('');
    const sees = (...expected: string[]) =>
      eventually(`watch that has seen ${expected.join(', ')}`, () =>
        watch.seen.join() === expected.join() ? true : undefined,
      );
    await sees('SERVING');
    kit.host.publish({ state: { findings: ['nothing that changes readiness'] } });
    kit.host.publish({ state: { gates: { ...gates, maintenance: true } } });
    await sees('SERVING', 'NOT_SERVING');
    kit.host.publish({ state: { gates } });
    await sees('SERVING', 'NOT_SERVING', 'SERVING');
    kit.host.board.setPhase('draining');
    await sees('SERVING', 'NOT_SERVING', 'SERVING', 'NOT_SERVING');
    expect(watch.ended()).toBeUndefined();
    kit.host.board.setPhase('stopped');
    await eventually('end', () => (watch.ended() === undefined ? undefined : true));
    expect(watch.ended()).toBe(code.UNAVAILABLE);
    expect(watch.seen).toHaveLength(4);
    expect(kit.errors).toEqual([]);
  });
});

describe('E6: the gRPC health protocol', () => {
  it('tells Check NOT_FOUND and Watch SERVICE_UNKNOWN, until the service is there', async () => {
    await setUp('thread', { details: true });
    await expect(client.check('nothing')).rejects.toMatchObject({ code: code.NOT_FOUND });
    const watch = client.watch('order database');
    await eventually('first status', () => (watch.seen.length > 0 ? true : undefined));
    expect(watch.seen).toEqual(['SERVICE_UNKNOWN']);
    kit.host.publish({ checks: [database] });
    await eventually('second status', () => (watch.seen.length > 1 ? true : undefined));
    expect(watch.seen).toEqual(['SERVICE_UNKNOWN', 'SERVING']);
    expect(watch.ended()).toBeUndefined();
  });

  it('knows no check where details are not allowed', async () => {
    await setUp('thread');
    kit.host.publish({ checks: [database] });
    await expect(client.check('order database')).rejects.toMatchObject({ code: code.NOT_FOUND });
    expect(Object.keys(await client.list())).toEqual(['', 'liveness', 'readiness', 'startup']);
  });

  it('List tells everything, up to 100 services', async () => {
    await setUp('thread', { details: true });
    kit.host.publish({ checks: [{ ...database, verdict: 'fail' }] });
    expect(await client.list()).toEqual({
      '': 'NOT_SERVING',
      liveness: 'SERVING',
      readiness: 'NOT_SERVING',
      startup: 'SERVING',
      'order database': 'NOT_SERVING',
    });
    const many = Array.from({ length: 100 }, (_, index) => checkView(`check ${index}`));
    kit.host.publish({ checks: many });
    await expect(client.list()).rejects.toMatchObject({ code: code.RESOURCE_EXHAUSTED });
  });

  it('C6: runs on-demand checks for readiness and not for liveness', async () => {
    await setUp('thread');
    kit.host.publish({ state: { onDemand: true } });
    await client.check('liveness');
    expect(kit.evaluations).toBe(0);
    await client.check('');
    expect(kit.evaluations).toBe(1);
  });

  it('lets neither a watch nor a silent connection hold the end', async () => {
    await setUp('thread');
    const watch = client.watch('readiness');
    const silent = await rawConnection(kit.port('grpc'));
    await eventually('first status', () => (watch.seen.length > 0 ? true : undefined));
    const start = performance.now();
    await kit.host.dispose();
    expect(performance.now() - start).toBeLessThan(1500);
    await eventually('end', () => (watch.ended() === undefined ? undefined : true));
    silent.end();
  });

  it('refuses what is no call of the protocol', async () => {
    await setUp('thread');
    const call = { ':method': 'POST', 'content-type': 'application/grpc' };
    const path = '/grpc.health.v1.Health/Check';
    const empty = Uint8Array.from([0, 0, 0, 0, 0]);
    const send = (headers: object, body: Uint8Array = empty) =>
      raw(kit.port('grpc'), headers, body);
    expect(await send({ ':method': 'POST', ':path': path })).toMatchObject({ ':status': 415 });
    expect(await send({ ...call, ':path': '/other.Service/Check' })).toMatchObject({
      'grpc-status': '12',
    });
    expect(await send({ ...call, ':path': path }, Uint8Array.from([1]))).toMatchObject({
      'grpc-status': '3',
    });
    expect(await send({ ...call, ':path': path }, new Uint8Array(10_000))).toMatchObject({
      'grpc-status': '3',
    });
    expect(await client.check('')).toBe('SERVING');
    expect(kit.errors).toEqual([]);
  });
});

describe.each(ISOLATIONS)('E6: a client of gRPC that goes in the middle (%s)', (isolation) => {
  it('C6: ends nothing, whatever it has sent before its reset', async () => {
    await setUp(isolation);
    const goingAway = ['', DATA_OPEN].flatMap((data) =>
      ['Check', 'Watch', 'List', 'Nothing'].map((method) => callOf(method) + data + RESET),
    );
    for (const bytes of goingAway) {
      const connection = await rawConnection(kit.port('grpc'));
      connection.write(Buffer.from(PREFACE + bytes + PING, 'latin1'));
      await eventually('answer to the ping', () => connection.text().includes(PONG) || undefined);
      connection.end();
    }
    expect(await client.check('')).toBe('SERVING');
    expect(kit.errors).toEqual([]);
  });
});

// Frames of HTTP/2 (RFC 9113, section 6), written by hand: a client library resets in no such way.
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + frame(4, 0, 0, '');
/** An empty message of gRPC, with more to come. */
const DATA_OPEN = frame(0, 0, 1, '\0\0\0\0\0');
/** With the code NO_ERROR. */
const RESET = frame(3, 0, 1, '\0\0\0\0');
const PING = frame(6, 0, 0, 'are you?');
const PONG = frame(6, 1, 0, 'are you?');

function frame(type: number, flags: number, stream: number, payload: string): string {
  return String.fromCharCode(0, 0, payload.length, type, flags, 0, 0, 0, stream) + payload;
}

/** The headers of a call on stream 1, which stays open. */
function callOf(method: string): string {
  const text = (value: string): string => String.fromCharCode(value.length) + value;
  const path = `\x04${text(`/grpc.health.v1.Health/${method}`)}`;
  const type = `\x00${text('content-type')}${text('application/grpc')}`;
  // Of the static table of HPACK: POST, http.
  return frame(1, 4, 1, `\x83\x86${path}\x01${text('a')}${type}`);
}

/** The headers of the answer to one request. */
function raw(port: number, headers: object, body: Uint8Array): Promise<object> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const stream = session.request({ ...headers });
    stream.once('response', (response) => {
      resolve(response);
      session.destroy();
    });
    session.on('error', reject);
    stream.on('error', reject);
    stream.end(body);
  });
}
