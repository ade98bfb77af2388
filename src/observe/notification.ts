import { isoTime } from '../core/iso-time.js';

/** What is told to somebody outside. */
export interface Notification {
  readonly kind: 'problem' | 'recovery';
  /** `readiness`, or the check by its name. */
  readonly subject: 'readiness' | 'check';
  readonly check?: string;
  readonly status: string;
  /** The reason of readiness, or the code of a check's outcome. */
  readonly reason?: string;
  /** A check's own text; secrets are redacted. */
  readonly output?: string;
  /** Wall-clock time of the change. */
  readonly at: number;
  /** Of a recovery: how long the problem had lasted. */
  readonly lastedMs?: number;
  /** Problems of the same subject that were held back since the last one told. */
  readonly suppressed: number;
  readonly service?: string;
}

/** Turns a notification into the JSON body of a request. */
export type NotificationFormat = (notification: Notification) => unknown;

/** The notification itself, with its time in ISO 8601 and a version of this form. */
export const plainFormat: NotificationFormat = (notification) => ({
  version: 1,
  ...notification,
  at: isoTime(notification.at),
  text: notificationText(notification),
});

/** What an incoming webhook of Slack takes, and many others do. https://api.slack.com/messaging/webhooks */
export const slackFormat: NotificationFormat = (notification) => {
  const icon = notification.kind === 'problem' ? ':red_circle:' : ':large_green_circle:';
  return { text: `${icon} ${escapeSlack(notificationText(notification))}` };
};

/** One line for people. */
export function notificationText(notification: Notification): string {
  const { kind, subject, check, service, reason, output, lastedMs = 0, suppressed } = notification;
  const who = service === undefined ? '' : `${service}: `;
  const what = subject === 'readiness' ? 'not ready' : `check "${check}" fails`;
  if (kind === 'recovery') {
    const good = subject === 'readiness' ? 'ready' : `check "${check}" passes`;
    const seconds = Math.round(lastedMs / 1000);
    return `${who}${good} again ${seconds === 0 ? 'within a second' : `after ${seconds} s`}`;
  }
  const why = [reason, output].filter(Boolean).join(': ');
  const more = suppressed === 0 ? '' : ` (and ${suppressed} times before, held back)`;
  return `${who}${what}${why === '' ? '' : `, ${why}`}${more}`;
}

/** https://api.slack.com/reference/surfaces/formatting#escaping */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
