import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, type Server, createServer as createTcpServer } from 'node:net';
import { createServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type TlsAddress,
  type TlsCertificateOptions,
  tlsCertificate,
} from '../../src/checks/tls.js';
import type { Clock } from '../../src/core/clock.js';
import { systemClock } from '../../src/engine/system-clock.js';
import { type Certificate, createCertificate } from '../support/certificate.js';
import { harness } from '../support/run-check.js';

const DAY_MS = 86_400_000;
let certificate: Certificate;
let ca: string;
let port: number;
let server: Server;

/** A certificate for 127.0.0.1 that is valid for two days. */
beforeAll(() => {
  certificate = createCertificate();
  ca = readFileSync(certificate.certFile, 'utf8');
});
afterAll(() => certificate.remove());
afterEach(async () => {
  if (server.listening) await new Promise((resolve) => server.close(resolve));
});

async function listen(what: Server, at = 0) {
  server = what;
  server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
}
const tlsServer = () =>
  createServer({ key: readFileSync(certificate.keyFile), cert: ca }).on('tlsClientError', () => {});

interface Setup extends TlsCertificateOptions {
  /** Moves the wall clock. */
  days?: number;
  address?: Partial<TlsAddress>;
}

function check({ days = 0, address, ...options }: Setup) {
  const clock: Clock = { ...systemClock, wallNow: () => systemClock.wallNow() + days * DAY_MS };
  const full = { host: '127.0.0.1', port, ...address };
  return harness(tlsCertificate(full, { ca, warnDays: 1, ...options }), clock, 1_000);
}
const run = (setup: Setup) => check(setup).run();

describe('tlsCertificate against a real server', () => {
  it('passes while the certificate is valid for long enough, and says for how long', async () => {
    await listen(tlsServer());
    const outcome = await run({});
    expect(outcome).toMatchObject({ status: 'pass', observedUnit: 'days' });
    expect(outcome.observedValue).toBeGreaterThan(1.8);
    expect(outcome.observedValue).toBeLessThanOrEqual(2);
  });

  it.each([
    [{ warnDays: 3 }, 'warn', 'certificate_expiring', /of 127\.0\.0\.1 expires in (1\.9|2) days/],
    [{ warnDays: 3, failDays: 3 }, 'fail', 'certificate_expiring', /expires in/],
    [{ days: 5 }, 'fail', 'certificate_expired', /expired 3(\.\d)? days ago/],
    [{ days: -5 }, 'fail', 'certificate_not_yet_valid', /is not valid yet/],
    [{ address: { servername: 'mail.example' } }, 'fail', 'certificate_name_mismatch', /another/],
    [{ ca: undefined }, 'fail', 'certificate_untrusted', /not trusted: DEPTH_ZERO_SELF_SIGNED/],
    [{ ca: undefined, allowSelfSigned: true }, 'pass', undefined, /^$/],
  ])('%j is %s with %s', async (setup, status, code, text) => {
    await listen(tlsServer());
    // An option that is there but undefined is one that was left out.
    const outcome = await run(setup as Setup);
    expect(outcome.status).toBe(status);
    expect(outcome.code).toBe(code);
    expect(outcome.output ?? '').toMatch(text);
  });

  it('leaves no connection after 50 runs', async () => {
    let open = 0;
    const counted = tlsServer().on('connection', (socket) => {
      open += 1;
      socket.on('close', () => {
        open -= 1;
      });
    });
    await listen(counted);
    const tls = check({});
    for (let n = 0; n < 50; n += 1) expect((await tls.run()).status).toBe('pass');
    await expect.poll(() => open).toBe(0);
  });

  it('holds its deadline before a server that says nothing, and fails on one without TLS', async () => {
    await listen(createTcpServer((socket) => void socket.on('error', () => {}).resume()));
    const silent = await harness(
      tlsCertificate({ host: '127.0.0.1', port }),
      systemClock,
      300,
    ).run();
    expect(silent.output).toMatch(/made no TLS handshake: timed out/);
    expect(silent.durationMs).toBeLessThan(500);
    await new Promise((resolve) => server.close(resolve));
    await listen(
      createTcpServer(
        (socket) =>
          void socket
            .on('error', () => {})
            .resume()
            .end('220 hi\r\n'),
      ),
    );
    expect((await run({})).output).toMatch(/made no TLS handshake/);
  });

  it('healthy, stopped, restarted: recovers without help', async () => {
    await listen(tlsServer());
    const tls = check({});
    expect((await tls.run()).status).toBe('pass');
    await new Promise((resolve) => server.close(resolve));
    expect((await tls.run()).output).toContain('ECONNREFUSED');
    await listen(tlsServer(), port);
    expect((await tls.run()).status).toBe('pass');
  });
});
