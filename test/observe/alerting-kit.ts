import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { tlsCertificate } from '../../src/checks/tls.js';
import { silentLogger } from '../../src/core/logger.js';
import { createHealth } from '../../src/index.js';
import { createLease } from '../../src/lease/index.js';
import { exitPermits } from '../../src/lease/permits/index.js';
import { memoryLease } from '../../src/lease/stores/memory.js';
import { type Certificate, createCertificate } from '../support/certificate.js';

/** A server with TLS whose certificate is changed while it runs. */
interface CertifiedServer {
  readonly port: number;
  /** Both certificates, to be trusted. */
  readonly ca: string;
  /** Shows the one with two days left, or the one with ninety. */
  show(which: 'old' | 'renewed'): void;
  close(): void;
}

async function startCertifiedServer(): Promise<CertifiedServer> {
  const made = { old: createCertificate(2), renewed: createCertificate(90) };
  const pems = ({ keyFile, certFile }: Certificate) => ({
    key: readFileSync(keyFile, 'utf8'),
    cert: readFileSync(certFile, 'utf8'),
  });
  const [old, renewed] = [pems(made.old), pems(made.renewed)];
  const server = createServer(renewed).on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ca: old.cert + renewed.cert,
    show: (which) => server.setSecureContext(which === 'old' ? old : renewed),
    close() {
      server.close();
      for (const each of Object.values(made)) each.remove();
    },
  };
}

/** A service in this process that holds a lease, looks at a certificate, and may never leave rotation. */
export interface Worker {
  readonly port: number;
  readonly certificate: Pick<CertifiedServer, 'show'>;
  /** Makes its critical check fail, or pass again. */
  setBroken(broken: boolean): void;
  close(): Promise<void>;
}

/** Starts the worker, with checks twice a second. */
export async function startWorker(): Promise<Worker> {
  const upstream = await startCertifiedServer();
  const { port, ca } = upstream;
  let isBroken = false;
  const health = createHealth({
    version: '2.0.0',
    probes: { port: 0, host: '127.0.0.1' },
    diagnostic: false,
    signals: false,
    logger: silentLogger,
    leases: { killSwitch: false },
    env: {},
    mayLeave: exitPermits({ store: memoryLease(), service: 'worker', instances: 1, floor: 1 }),
    checks: {
      queue: {
        intervalMs: 500,
        failureThreshold: 1,
        successThreshold: 1,
        run: () => ({ status: isBroken ? 'fail' : 'pass' }),
      },
      upstream: tlsCertificate(
        { host: '127.0.0.1', port },
        { ca, impact: 'optional', intervalMs: 500 },
      ),
    },
  });
  health.lease(createLease({ store: memoryLease(), name: 'leader' }));
  const [address] = await health.start();
  return {
    port: address?.port ?? 0,
    certificate: upstream,
    setBroken: (broken) => (isBroken = broken),
    async close() {
      await health.dispose();
      upstream.close();
    },
  };
}

/** Begins a request and holds it back in the middle of its body, so that a drain has to wait for it. */
export async function holdRequest(url: string): Promise<{ finish(): Promise<number> }> {
  const body = '{"item":"tea","quantity":1}';
  const held = request(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': body.length },
  });
  const answer = once(held, 'response') as Promise<[IncomingMessage]>;
  // The service has the head once half of the body is on its way.
  await new Promise((resolve) => held.write(body.slice(0, 5), resolve));
  return {
    async finish() {
      held.end(body.slice(5));
      const [response] = await answer;
      response.resume();
      return response.statusCode ?? 0;
    },
  };
}
