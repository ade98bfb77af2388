import type { Log } from '../log.js';

const DEADLINE_MS = 1_000;

/** Sends mail as well as it can; an order does not fail because a mail did. */
export interface Mailer {
  /** Never rejects and never takes longer than its deadline of a second. */
  send(subject: string): Promise<'sent' | 'not sent'>;
}

/** A mailer that posts to the HTTP mail upstream at `url`. */
export function createMailer(url: string, log: Log): Mailer {
  return {
    async send(subject) {
      try {
        const response = await fetch(new URL('/send', url), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ subject }),
          signal: AbortSignal.timeout(DEADLINE_MS),
        });
        await response.arrayBuffer();
        if (response.ok) return 'sent';
        log.warn({ status: response.status }, 'mail not sent');
      } catch (error) {
        log.warn({ code: error instanceof Error ? error.name : 'unknown' }, 'mail not sent');
      }
      return 'not sent';
    },
  };
}
