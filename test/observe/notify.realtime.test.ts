import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createHealth } from '../../src/index.js';
import { silentLogger } from '../../src/core/logger.js';
import { type Notifier, notifyWebhook } from '../../src/notify.js';

interface Got {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const got: Got[] = [];
let refuses = false;
let webhook: Server;
let url: string;

beforeAll(async () => {
  webhook = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const status = refuses ? 503 : 200;
      got.push({ status, body: JSON.parse(text) as Got['body'] });
      response.writeHead(status).end('ok');
    });
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/hook`;
});
afterAll(
  () =>
    new Promise<void>((resolve) => {
      webhook.close(() => resolve());
      webhook.closeAllConnections();
    }),
);

describe('notifyWebhook and a real service', () => {
  it('O4: a dependency goes and comes back; what is pending at the end of a drain is tried once more', async () => {
    let down = true;
    await using health = createHealth({
      probes: { port: 0, host: '127.0.0.1' },
      diagnostic: false,
      signals: false,
      logger: silentLogger,
      env: {},
      checks: {
        database: {
          impact: 'critical',
          intervalMs: 100,
          failureThreshold: 1,
          successThreshold: 1,
          run: () => {
            if (down) throw new Error('postgres://app:hunter2@db refused');
          },
        },
      },
    });
    const notifier: Notifier = notifyWebhook(health, { url, logger: silentLogger });
    await health.start();
    const told = () => got.map(({ body }) => `${String(body['kind'])} ${String(body['subject'])}`);
    await vi.waitFor(
      () => expect(told().toSorted()).toStrictEqual(['problem check', 'problem readiness']),
      10_000,
    );
    expect(JSON.stringify(got)).not.toContain('hunter2');
    refuses = true;
    down = false;
    // The first recovery is refused for now, and both wait when the drain begins.
    await vi.waitFor(() => expect(notifier.pending).toBe(2), 10_000);
    refuses = false;
    await health.shutdown('test');
    expect(notifier.pending).toBe(0);
    expect(got.filter(({ status }) => status === 200)).toHaveLength(4);
    const arrived = got.filter(({ status }) => status === 200).slice(2);
    expect(
      arrived.map(({ body }) => `${String(body['kind'])} ${String(body['subject'])}`).toSorted(),
    ).toStrictEqual(['recovery check', 'recovery readiness']);
  });
});
