import { describe, expect, it } from 'vitest';
import { listenError } from '../../src/probe/listen-error.js';

const TAKEN = {
  kind: 'probes',
  host: '::',
  port: 9400,
  code: 'EADDRINUSE',
  message: 'listen EADDRINUSE',
} as const;
const PLAIN = { clusterWorker: false, pm2: false };

describe('a listener that cannot be bound', () => {
  it('E5: names the address, the option and the variable', () => {
    const error = listenError(TAKEN, PLAIN);
    expect(error.code).toBe('HALE_PORT_IN_USE');
    expect(error.message).toBe(
      'probes cannot listen on [::]:9400: the port is taken; set probes.port (HALE_PORT) to a free one',
    );
    expect(error.cause).toBeInstanceOf(Error);
  });

  it('E5: says what to do under cluster and PM2', () => {
    expect(listenError(TAKEN, { clusterWorker: true, pm2: false }).message).toMatch(
      /is a cluster worker: each one answers for itself.*probes\.port 0/,
    );
    expect(listenError(TAKEN, { clusterWorker: true, pm2: true }).message).toMatch(/PM2 instance/);
  });

  it('E5: gives any other reason as it is', () => {
    const refused = { ...TAKEN, kind: 'diagnostic', host: '127.0.0.1', code: 'EACCES' } as const;
    const error = listenError(refused, PLAIN);
    expect(error.code).toBe('HALE_LISTEN_FAILED');
    expect(error.message).toMatch(/127\.0\.0\.1:9400.*EACCES.*HALE_DIAGNOSTIC_PORT/);
  });
});
