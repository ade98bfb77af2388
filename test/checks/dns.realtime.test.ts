import { type Socket, createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DnsRecordsOptions, dnsRecords } from '../../src/checks/dns.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { harness } from '../support/run-check.js';

const TYPES: Record<string, number> = { A: 1, NS: 2, MX: 15, TXT: 16, AAAA: 28, SRV: 33 };
const label = (name: string) =>
  Buffer.concat([
    ...name.split('.').map((part) => Buffer.concat([Buffer.of(part.length), Buffer.from(part)])),
    Buffer.of(0),
  ]);
const pair = (number: number) => Buffer.of(number >> 8, number & 255);

const RECORDS: Record<string, readonly Buffer[]> = {
  A: [Buffer.of(10, 0, 0, 7), Buffer.of(10, 0, 0, 8)],
  AAAA: [Buffer.from('fd000000000000000000000000000007', 'hex')],
  MX: [Buffer.concat([pair(10), label('mail.example')])],
  NS: [label('ns.example')],
  TXT: [Buffer.concat([Buffer.of(3), Buffer.from('v=1'), Buffer.of(2), Buffer.from(' x')])],
  SRV: [Buffer.concat([pair(1), pair(2), pair(5432), label('db.example')])],
};

type Mode = 'answers' | 'silent' | 'nothing there' | 'broken';
let server: Socket;
let mode: Mode;
let queries = 0;

/** A name server that knows one name (RFC 1035, section 4). */
beforeEach(async () => {
  [mode, queries] = ['answers', 0];
  server = createSocket('udp4').on('message', (query, from) => {
    queries += 1;
    if (mode !== 'silent') server.send(answer(query), from.port, from.address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())));

function answer(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const question = query.subarray(12, end);
  const asked = question.readUInt16BE(question.length - 4);
  const type = Object.keys(TYPES).find((name) => TYPES[name] === asked) ?? '';
  const found = mode === 'answers' ? (RECORDS[type] ?? []) : [];
  const code = { answers: 0, silent: 0, 'nothing there': 3, broken: 2 }[mode];
  const header = [query.subarray(0, 2), pair(0x8180 | code), pair(1), pair(found.length), pair(0)];
  const records = found.flatMap((data) => [
    ...[pair(0xc00c), pair(asked), pair(1), pair(0), pair(0)],
    ...[pair(data.length), data],
  ]);
  return Buffer.concat([...header, pair(0), question, ...records]);
}

function check(options: DnsRecordsOptions = {}, timeoutMs = 1_000) {
  const resolver = [`127.0.0.1:${server.address().port}`];
  return harness(dnsRecords('db.internal', { resolver, ...options }), systemClock, timeoutMs);
}

describe('dnsRecords against a name server', () => {
  it.each([
    ['A', ['10.0.0.7', '10.0.0.8']],
    ['AAAA', ['fd00::7']],
    ['MX', ['10 mail.example']],
    ['NS', ['ns.example']],
    ['TXT', ['v=1 x']],
    ['SRV', ['1 2 5432 db.example']],
  ] as const)('passes with the %s records', async (type, records) => {
    const outcome = await check({ type, expected: records.slice(-1) }).run();
    expect(outcome.status).toBe('pass');
    expect([...(outcome.observedValue as string[])].toSorted()).toEqual(records);
  });

  it('fails when an expected record is missing, and names it', async () => {
    expect(await check({ expected: ['10.0.0.7', '10.0.0.9'] }).run()).toMatchObject({
      status: 'fail',
      code: 'record_missing',
      output: 'db.internal has no 10.0.0.9',
    });
  });

  it.each([
    ['nothing there', 'ENOTFOUND'],
    ['broken', 'ESERVFAIL'],
  ] as const)('fails with the error of a server that says: %s', async (said, error) => {
    mode = said;
    const outcome = await check().run();
    expect(outcome).toMatchObject({ status: 'fail', code: 'error' });
    expect(outcome.output).toContain(error);
  });

  it('holds its deadline before a silent server, and recovers without help', async () => {
    mode = 'silent';
    const dns = check({}, 300);
    const outcome = await dns.run();
    expect(outcome.output).toBe('no answer for db.internal: timed out');
    expect(outcome.durationMs).toBeLessThan(500);
    mode = 'answers';
    expect((await dns.run()).status).toBe('pass');
  });

  it('asks one question per run', async () => {
    const dns = check();
    for (let run = 0; run < 100; run += 1) expect((await dns.run()).status).toBe('pass');
    expect(queries).toBe(100);
  });
});

describe('dnsRecords with the system resolver', () => {
  it('finds what the hosts file has, by family', async () => {
    const local = dnsRecords('localhost', { type: 'A', expected: ['127.0.0.1'] });
    expect((await harness(local, systemClock).run()).status).toBe('pass');
  });

  it('an address is its own answer, of its family only', async () => {
    const own = harness(dnsRecords('127.0.0.1'), systemClock);
    expect(await own.run()).toMatchObject({ status: 'pass', observedValue: ['127.0.0.1'] });
    const other = harness(dnsRecords('127.0.0.1', { expected: ['127.0.0.2'] }), systemClock);
    expect((await other.run()).code).toBe('record_missing');
  });
});
