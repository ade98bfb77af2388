import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probe, probeOptions, type Seen } from '../support/probing.js';
import { rawConnection, type RawConnection } from '../support/raw-http.js';
import { createHostKit, type HostKit } from './host-kit.js';

let kit: HostKit;
let port: number;

beforeAll(async () => {
  const { listener } = probeOptions();
  if (listener === false) throw new Error('the probe listener is off');
  kit = createHostKit('thread', {
    listener: { ...listener, maxConnections: 64 },
    stallAfterMs: 120_000,
  });
  port = await kit.start();
});
afterAll(() => kit.host.dispose());

async function goodProbes(count = 20): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (let probed = 0; probed < count; probed += 1) {
    seen.push(await probe(port, '/livez'));
    await delay(10);
  }
  return seen;
}

const GOOD = { refused: 0, fast: true };

/** Every probe must be answered, and half of them fast: the rest may wait for the busy test machine. */
function summary(seen: readonly Seen[]): typeof GOOD {
  const times = seen.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const refused = seen.filter(({ status }) => status !== 200).length;
  return { refused, fast: (times[Math.floor(times.length / 2)] ?? Infinity) < 50 };
}

async function openMany(count: number, first = ''): Promise<RawConnection[]> {
  const connections: RawConnection[] = [];
  for (let opened = 0; opened < count; opened += 100) {
    const batch = await Promise.all(Array.from({ length: 100 }, () => rawConnection(port)));
    if (first !== '') for (const connection of batch) connection.write(first);
    connections.push(...batch);
  }
  return connections;
}

describe('a hostile client', () => {
  it('E5: 2,000 idle connections do not shut out a good probe', async () => {
    const flood = openMany(2000);
    expect(summary(await goodProbes())).toStrictEqual(GOOD);
    const connections = await flood;
    expect(summary(await goodProbes())).toStrictEqual(GOOD);
    // The last of them have their grace, then two more turns of timers on a busy machine.
    await delay(1000);
    const open = connections.filter(({ socket }) => !socket.destroyed).length;
    expect(open).toBeLessThanOrEqual(64);
    for (const connection of connections) connection.end();
  });

  it('E5: neither do connections that hold back the end of their header', async () => {
    const connections = await openMany(300, 'GET /livez HTTP/1.1\r\nX-Slow: x');
    const feed = setInterval(() => {
      for (const { socket } of connections) if (!socket.destroyed) socket.write('x');
    }, 50);
    expect(summary(await goodProbes())).toStrictEqual(GOOD);
    clearInterval(feed);
    for (const connection of connections) connection.end();
  });

  it('E5: nor floods of headers', async () => {
    const headers = Array.from({ length: 300 }, (_, index) => `X-${index}: y\r\n`).join('');
    const request = `GET /livez HTTP/1.1\r\n${headers}\r\n`;
    const connections = await openMany(100, request.repeat(5));
    expect(summary(await goodProbes())).toStrictEqual(GOOD);
    for (const connection of connections) connection.end();
  });

  it('E5: nor clients that ask without end and read nothing', async () => {
    const connections = await openMany(100);
    for (const { socket } of connections) {
      socket.pause();
      socket.write('GET /metrics HTTP/1.1\r\n\r\n'.repeat(500));
    }
    expect(summary(await goodProbes())).toStrictEqual(GOOD);
    for (const connection of connections) connection.end();
  });

  it('E5: a prober that keeps its connection keeps it through a flood of idle ones', async () => {
    const prober = await rawConnection(port);
    prober.write('GET /livez HTTP/1.1\r\n\r\n');
    await delay(200);
    const connections = await openMany(300);
    prober.write('GET /livez HTTP/1.1\r\n\r\n');
    await delay(300);
    expect(prober.text().match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    for (const connection of [...connections, prober]) connection.end();
  });

  it('E5: arbitrary bytes never crash the listener nor stall the next good probe', async () => {
    const line = fc.constantFrom(
      'GET /livez HTTP/1.1\r\n',
      'Host: x\r\n',
      'Content-Length: 5\r\n',
      'Content-Length: -1\r\n',
      'Transfer-Encoding: chunked\r\n',
      'Expect: 100-continue\r\n',
      '\r\n',
      '0\r\n\r\n',
      'ffffffffffffffff\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'CONNECT x:1 HTTP/1.1\r\n\r\n',
      'GET http://[::1 HTTP/1.1\r\n',
      'GET /readyz?exclude=%E0%A4%A HTTP/1.1\r\n',
    );
    const noise = fc.string({ unit: 'binary', maxLength: 200 });
    const bytes = fc.array(fc.oneof(line, noise), { minLength: 1, maxLength: 12 });
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(bytes, async (parts) => {
        tried += 1;
        const connection = await rawConnection(port);
        connection.write(Buffer.from(parts.join(''), 'latin1'));
        const { status, reason } = await probe(port, '/livez');
        expect(`${status} ${reason}`).toBe('200 ok');
        connection.end();
      }),
      { numRuns: 5000, interruptAfterTimeLimit: 15_000, markInterruptAsFailure: false },
    );
    expect(tried).toBeGreaterThan(100);
    expect(summary(await goodProbes())).toStrictEqual(GOOD);
  });

  it('E5: nothing of all this is an error of hale', () => expect(kit.errors).toStrictEqual([]));
});
