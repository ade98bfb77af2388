import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe } from 'vitest';
import { dnsRecords } from '../../src/checks/dns.js';
import { healthJson } from '../../src/checks/health-json.js';
import { httpUpstream } from '../../src/checks/http.js';
import { tcpConnect } from '../../src/checks/tcp.js';
import { tlsCertificate } from '../../src/checks/tls.js';
import type { CaseId, ConformanceException, ConformanceOptions } from '../../src/testing/index.js';
import { type Certificate, createCertificate } from '../support/certificate.js';
import { itConforms } from '../support/conformance.js';
import type { ManagedServer } from '../support/servers/managed-server.js';
import { HTTP_PASSWORD, startSmallServer } from '../support/servers/small-server.js';

let certificate: Certificate;
let servers: Record<'http' | 'banner' | 'tls' | 'dns', ManagedServer>;
beforeAll(async () => {
  certificate = createCertificate();
  const [http, banner, tls, dns] = await Promise.all([
    startSmallServer('http'),
    startSmallServer('banner'),
    startSmallServer('tls', certificate),
    startSmallServer('dns'),
  ]);
  servers = { http, banner, tls, dns };
});
afterAll(async () => {
  certificate.remove();
  await Promise.all(Object.values(servers).map((server) => server.dispose()));
});

const noPassword = (because: string) => ({ wrong_password: { because } });

describe('checks that ask over the network', () => {
  itConforms({
    name: 'httpUpstream',
    server: () => servers.http,
    secrets: [HTTP_PASSWORD],
    timeoutMs: 200,
    // The global fetch keeps connections that it has no use for for four seconds.
    closeWithinMs: 8_000,
    createSubject: ({ host, port, password }) =>
      httpUpstream(`http://hale:${password(HTTP_PASSWORD)}@${host}:${port}/livez?token=1`),
  });

  // It asks through the same client as httpUpstream.
  const ownParts: readonly CaseId[] = ['healthy', 'stopped', 'reset_midway', 'wrong_password'];
  const healthDocument: ConformanceOptions = {
    name: 'healthJson',
    server: () => servers.http,
    secrets: [HTTP_PASSWORD],
    timeoutMs: 200,
    createSubject: ({ host, port, password }) =>
      healthJson(`http://hale:${password(HTTP_PASSWORD)}@${host}:${port}/status`),
  };
  itConforms(healthDocument, ownParts);

  itConforms({
    name: 'tcpConnect with a banner',
    server: () => servers.banner,
    timeoutMs: 200,
    heldConnections: 0,
    exceptions: noPassword('a banner comes before any password'),
    createSubject: (address) => tcpConnect(address, { expect: '220 ' }),
  });

  const nothingExpected: Partial<Record<CaseId, ConformanceException>> = {
    ...noPassword('it sends nothing'),
    frozen: { verdict: 'pass', because: 'the kernel accepts for a frozen server' },
    half_open: { verdict: 'pass', because: 'accepting is all it asks for' },
    slow: { verdict: 'pass', because: 'accepting is all it asks for' },
    reset_midway: { verdict: 'pass', because: 'it waits for no byte' },
    cut: { because: 'chance decides whether it sees the connection or its reset' },
  };
  itConforms({
    name: 'tcpConnect alone',
    server: () => servers.banner,
    timeoutMs: 200,
    heldConnections: 0,
    exceptions: nothingExpected,
    createSubject: (address) => tcpConnect(address),
  });

  itConforms({
    name: 'tlsCertificate',
    server: () => servers.tls,
    timeoutMs: 300,
    heldConnections: 0,
    exceptions: noPassword('a handshake has no password'),
    createSubject: ({ host, port }) =>
      tlsCertificate({ host, port }, { ca: readFileSync(certificate.certFile), warnDays: 1 }),
  });

  const because = 'it asks over UDP, which the proxy does not carry';
  itConforms({
    name: 'dnsRecords',
    server: () => servers.dns,
    timeoutMs: 200,
    exceptions: {
      ...noPassword('a resolver asks for no password'),
      late: { because },
      slow: { because },
      refused: { because },
      cut: { because },
      reset_midway: { because },
      half_open: { because },
      leak: { because },
      disposed: { because },
    },
    createSubject: ({ host, port }) => dnsRecords('db.internal', { resolver: [`${host}:${port}`] }),
  });
});
