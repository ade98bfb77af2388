import { once } from 'node:events';
import { connect, constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { silentLogger } from '../../src/core/logger.js';
import { createHealth } from '../../src/create-health.js';
import { attachHealth } from '../../src/frameworks/node-http.js';
import { eventually } from '../support/program.js';

const { NGHTTP2_NO_ERROR, NGHTTP2_CANCEL } = constants;

it.each([
  ['/orders', NGHTTP2_NO_ERROR],
  ['/orders', NGHTTP2_CANCEL],
  ['/livez', NGHTTP2_NO_ERROR],
  ['/livez', NGHTTP2_CANCEL],
])(
  'O1, D1: streams of %s that their client resets at once with code %i are in flight no more, and hold no drain',
  async (path, code) => {
    const health = createHealth({
      probes: false,
      diagnostic: false,
      signals: false,
      env: {},
      logger: silentLogger,
      shutdown: { propagationDelayMs: 0, deadlineMs: 2000 },
    });
    const server = createServer((_request, response) => response.end('sent to nobody'));
    attachHealth(server, health);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await health.start();
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    try {
      for (let count = 0; count < 10; count += 1)
        session
          .request({ ':path': path })
          .on('error', () => {})
          .resume()
          .close(code);
      // Behind all of them on the same connection.
      await once(session.request({ ':path': path }).resume(), 'close');
      await eventually('idle', () => (health.report().inFlight === 0 ? true : undefined), 2000);
      expect(await health.shutdown('test')).toMatchObject({ exitCode: 0 });
    } finally {
      session.destroy();
      server.close();
      await health.dispose();
    }
  },
);
