import type { Impact } from './core/check.js';
import type { Clock } from './core/clock.js';
import { errorText } from './core/error-text.js';
import { type FetchLike, httpTarget, requestHeaders } from './core/http-client.js';
import type { Logger } from './core/logger.js';
import { createRedactor } from './core/redact.js';
import { createSafeLogger } from './core/safe-logger.js';
import {
  choiceOption,
  durationOption,
  functionOption,
  integerOption,
  objectOption,
  textOption,
} from './core/validate.js';
import { systemClock } from './engine/system-clock.js';
import { type NotificationFormat, plainFormat, slackFormat } from './observe/notification.js';
import { type NoticedHealth, type Notifier, createNotifier } from './observe/notifier.js';
import { createWebhookQueue } from './observe/webhook-queue.js';
import { stderrLogger } from './stderr.js';

export type { NoticedChange, NoticedHealth, Notifier } from './observe/notifier.js';
export type { Notification, NotificationFormat } from './observe/notification.js';

/** Where to send notifications, and which. */
export interface WebhookOptions {
  /** An absolute http or https URL; its path and its credentials never reach a log. */
  url: string | URL;
  /** The body: hale's own JSON, what Slack takes, or a function that returns what becomes JSON. @defaultValue 'json' */
  format?: 'json' | 'slack' | NotificationFormat;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** How the service is called in notifications. */
  service?: string;
  /** Of readiness, and of each check, a problem is told at most once in this time. @defaultValue 300000 */
  throttleMs?: number;
  /** The checks that are told of by themselves, beside readiness. @defaultValue ['critical', 'degraded'] */
  impacts?: readonly Impact[];
  /** Time for one attempt. @defaultValue 5000 */
  timeoutMs?: number;
  /** Attempts before a notification is given up, with pauses that double from one second to a minute. @defaultValue 8 */
  attempts?: number;
  /** @defaultValue the global `fetch` */
  fetch?: FetchLike;
  /** @defaultValue JSON lines on standard error */
  logger?: Logger;
  /** @defaultValue the system clock */
  clock?: Clock;
}

/**
 * Tells a webhook when readiness or a check begins to fail, and when it has recovered. Start-up and drain are no
 * problems. What is pending when the process ends is tried once more by a shutdown hook and otherwise lost.
 * @throws OptionError naming the option, the accepted range and the value got.
 */
export function notifyWebhook(health: NoticedHealth, options: WebhookOptions): Notifier {
  const given = objectOption('options', options);
  const { clock = systemClock, fetch, throttleMs = 300_000, timeoutMs = 5000 } = given;
  functionOption('notifyWebhook (a health): onChange', health?.onChange);
  const logger = createSafeLogger(given.logger ?? stderrLogger(clock), createRedactor());
  const target = httpTarget('url', given.url);
  const queue = createWebhookQueue({
    target,
    headers: {
      'content-type': 'application/json',
      ...requestHeaders('headers', target, given.headers),
    },
    fetch: fetch === undefined ? undefined : functionOption('fetch', fetch),
    clock,
    random: Math.random,
    logger,
    timeoutMs: durationOption('timeoutMs', timeoutMs),
    attempts: integerOption('attempts', given.attempts ?? 8, { min: 1, max: 100 }),
  });
  return createNotifier({
    health,
    clock,
    queue,
    format: formatOf(given.format ?? 'json'),
    throttleMs: durationOption('throttleMs', throttleMs),
    impacts: (given.impacts ?? ['critical', 'degraded']).map((impact) =>
      choiceOption('impacts', impact, ['critical', 'degraded', 'optional']),
    ),
    service: given.service === undefined ? undefined : textOption('service', given.service),
    onError: (error) => {
      const output = errorText(error);
      logger.error({ event: 'notification_lost', output }, `a notification is lost: ${output}`);
    },
  });
}

function formatOf(format: NonNullable<WebhookOptions['format']>): NotificationFormat {
  if (typeof format === 'function') return format;
  const known = choiceOption('format', format, ['json', 'slack']);
  return known === 'json' ? plainFormat : slackFormat;
}
