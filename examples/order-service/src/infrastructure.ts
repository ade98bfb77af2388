import { createFaultProxy } from 'hale/testing';
import type { EmbeddedDatabase } from './database/embedded.js';
import { type Faults, createFaults } from './faults/faults.js';
import { type MailStub, startMailStub } from './mail/mail-stub.js';
import type { Settings } from './settings.js';

/** What the service stands on, and how to break it. */
export interface Infrastructure {
  /** What the service connects to: the fault proxy when demo faults are on. */
  readonly databaseUrl: string;
  /** `host:port` of the database itself. */
  readonly database: string;
  readonly databasePid: number | null;
  readonly faultProxy: string | null;
  readonly mailUrl: string;
  /** Absent when demo faults are off. */
  readonly faults: Faults | undefined;
  stop(): Promise<void>;
}

const DEFAULT_POSTGRES_PORT = 5432;

function hostAndPort(databaseUrl: string): { host: string; port: number } {
  const { hostname, port } = new URL(databaseUrl);
  if (hostname === '') {
    throw new RangeError('DATABASE_URL must name a host when HALE_DEMO_FAULTS=1: faults need TCP');
  }
  const host = hostname.replace(/^\[|\]$/g, '');
  return { host, port: port === '' ? DEFAULT_POSTGRES_PORT : Number(port) };
}

/** The same database by way of a proxy on loopback. */
export function throughProxy(databaseUrl: string, proxyPort: number): string {
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(proxyPort);
  return url.href;
}

async function withFaults(direct: string, embedded?: EmbeddedDatabase, mailStub?: MailStub) {
  const proxy = await createFaultProxy({ target: hostAndPort(direct) });
  return {
    databaseUrl: throughProxy(direct, proxy.port),
    faultProxy: `127.0.0.1:${proxy.port}`,
    faults: createFaults({ proxy, embedded, mailStub }),
    close: () => proxy.close(),
  };
}

/** Starts whatever the settings ask for around the database at `direct`. */
export async function startInfrastructure(
  settings: Settings,
  direct: string,
  embedded?: EmbeddedDatabase,
): Promise<Infrastructure> {
  const mailStub = settings.mailUrl === undefined ? await startMailStub() : undefined;
  const broken = settings.faults ? await withFaults(direct, embedded, mailStub) : undefined;
  return {
    databaseUrl: broken?.databaseUrl ?? direct,
    database: new URL(direct).host,
    get databasePid() {
      return embedded?.pid ?? null;
    },
    faultProxy: broken?.faultProxy ?? null,
    mailUrl: settings.mailUrl ?? mailStub?.url ?? '',
    faults: broken?.faults,
    async stop() {
      mailStub?.close();
      await broken?.close();
      await embedded?.stop();
    },
  };
}
