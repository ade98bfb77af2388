import type { FaultMode, FaultProxy } from 'hale/testing';
import type { EmbeddedDatabase } from '../database/embedded.js';
import type { MailMode, MailStub } from '../mail/mail-stub.js';
import { HttpProblem } from '../problem.js';

/** What the database can be made to do, through its proxy. */
export const DATABASE_MODES = ['ok', 'slow', 'cut', 'refuse', 'hang', 'oscillate'] as const;
export type DatabaseMode = (typeof DATABASE_MODES)[number];

/** What the fault panel can break. */
export interface Faults {
  database(mode: DatabaseMode, ms: number | undefined): Promise<FaultMode>;
  mail(mode: MailMode): void;
}

interface Breakable {
  proxy: FaultProxy;
  embedded: EmbeddedDatabase | undefined;
  mailStub: MailStub | undefined;
}

const SLOW_MS = 4_000;
const OSCILLATE_MS = 2_000;

/** The proxy's mode for a mode of the panel. */
export function toFaultMode(mode: DatabaseMode, ms: number | undefined): FaultMode {
  if (mode === 'slow') return { kind: 'slow', latencyMs: ms ?? SLOW_MS };
  if (mode === 'oscillate') return { kind: 'oscillate', periodMs: ms ?? OSCILLATE_MS };
  return { kind: mode };
}

/** The faults of what is there to break; `mail` throws HttpProblem 409 when the mail is not the stub. */
export function createFaults({ proxy, embedded, mailStub }: Breakable): Faults {
  return {
    async database(mode, ms) {
      // A killed database comes back on purpose only, and this is the purpose.
      if (mode === 'ok') await embedded?.revive();
      await proxy.set(toFaultMode(mode, ms));
      return proxy.mode;
    },
    mail(mode) {
      if (mailStub === undefined) {
        throw new HttpProblem(
          409,
          'not_the_stub',
          'MAIL_URL is set, so the mail is not ours to break',
        );
      }
      mailStub.set(mode);
    },
  };
}
