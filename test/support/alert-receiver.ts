import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './order-service.js';

/** An alert as Alertmanager tells a webhook of it. */
export interface ToldAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A webhook that remembers what it was told. */
export interface AlertReceiver {
  readonly url: string;
  readonly told: readonly ToldAlert[];
  /** Names of the alerts that were told to fire and not to end. */
  firing(): readonly string[];
  /** How often an alert was told to begin. */
  begun(name: string): number;
  /** Waits until the last word about an alert is this one. */
  until(name: string, status: ToldAlert['status'], withinMs: number): Promise<ToldAlert>;
  close(): Promise<void>;
}

async function alertsOf(request: IncomingMessage): Promise<readonly ToldAlert[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return (JSON.parse(String(Buffer.concat(chunks))) as { alerts: ToldAlert[] }).alerts;
}

/** Starts the webhook on a free port of 127.0.0.1. */
export async function startAlertReceiver(): Promise<AlertReceiver> {
  const told: ToldAlert[] = [];
  const server = createServer((request, response) => {
    void alertsOf(request).then((alerts) => {
      told.push(...alerts);
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const nameOf = ({ labels }: ToldAlert): string => labels['alertname'] ?? '';
  const last = (name: string) => told.findLast((alert) => nameOf(alert) === name);
  const history = () => told.map((alert) => `${nameOf(alert)} ${alert.status}`).join(', ');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    told,
    firing: () => [...new Set(told.map(nameOf))].filter((each) => last(each)?.status === 'firing'),
    begun: (name) =>
      told.filter((alert) => nameOf(alert) === name && alert.status === 'firing').length,
    until: (name, status, withinMs) =>
      eventually(
        () => (last(name)?.status === status ? last(name) : undefined),
        withinMs,
        () => `${name} ${status}; told: ${history()}`,
      ),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
