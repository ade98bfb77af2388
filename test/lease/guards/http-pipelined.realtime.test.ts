import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpFence, fenceHeaders } from '../../../src/lease/guards/http.js';
import { eventually } from '../../support/program.js';
import { rawConnection } from '../../support/raw-http.js';

describe('HTTP fence and requests that wait for the answer of another on their connection', () => {
  it('H4: writes of a holder that has left do not lock its successor out', async () => {
    const fence = createHttpFence();
    const guard = fence.middleware('orders');
    let begun = 0;
    const server = createServer((request, response) => {
      guard(request, response, () => (begun += 1));
    });
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const connection = await rawConnection((server.address() as AddressInfo).port);
    const claim = Object.entries(fenceHeaders({ token: 1n, holder: 'a' }));
    const head = claim.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    connection.write(`PUT /orders HTTP/1.1\r\nHost: a\r\n${head}\r\n`.repeat(3));
    await eventually('arrival', () => (begun === 3 ? true : undefined));
    connection.socket.destroy();
    const next = fenceHeaders({ token: 2n, holder: 'b' });
    const admission = await eventually(
      'successor',
      () => {
        const result = fence.admit('orders', (name) => next[name]);
        return result.kind === 'admitted' ? result : undefined;
      },
      2000,
    );
    expect(admission.claim).toEqual({ token: 2n, holder: 'b' });
  });
});
