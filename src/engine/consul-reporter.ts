import type { Clock, Random, Timer } from '../core/clock.js';
import {
  type ConsulReport,
  consulDeregisterPath,
  consulReport,
  consulReportPath,
  reportEveryMs,
  retryAfterMs,
} from '../core/consul-ttl.js';
import type { Decision } from '../core/decision.js';
import { errorText } from '../core/error-text.js';
import {
  type FetchLike,
  type HttpTarget,
  httpRequest,
  readBody,
  requestHeaders,
} from '../core/http-client.js';
import type { Logger } from '../core/logger.js';
import { MASK } from '../core/secret-patterns.js';
import type { DrainHook, DrainHookOptions } from './drain-hooks.js';

/** The part of a `Health` that is used. */
export interface ConsulHealthSource {
  report(): { readonly readiness: Decision };
  onChange(listener: () => void): () => void;
  onShutdown(name: string, hook: DrainHook, options?: DrainHookOptions): () => void;
}

export interface ConsulReporterOptions {
  readonly health: ConsulHealthSource;
  readonly agent: HttpTarget;
  readonly checkId: string;
  readonly ttlMs: number;
  readonly token?: string | undefined;
  /** Deregistered at the end of the drain. */
  readonly serviceId?: string | undefined;
  readonly fetch: FetchLike | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Reports until it is disposed or the process ends. */
export interface ConsulReporter {
  /** Ends the reports: the check runs out. Idempotent. */
  dispose(): void;
}

/** An agent is on the same machine. */
const REQUEST_TIMEOUT_MS = 2000;
const MAX_BODY = 4096;
const SHOWN_BODY = 200;

/** Creates the reporter and sends the first report. */
export function createConsulReporter(options: ConsulReporterOptions): ConsulReporter {
  return new TtlReporter(options);
}

class TtlReporter implements ConsulReporter {
  readonly #options: ConsulReporterOptions;
  readonly #release: readonly (() => void)[];
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  /** The last report that was sent, whether it arrived or is to be sent again. */
  #sent: ConsulReport | undefined;
  #failures = 0;
  #ended = false;

  constructor(options: ConsulReporterOptions) {
    this.#options = options;
    const { health } = options;
    this.#release = [
      health.onChange(() => this.#look()),
      health.onShutdown('Consul', (signal) => this.#leave(signal), { stage: 'lease_release' }),
    ];
    void this.#report();
  }

  dispose(): void {
    this.#ended = true;
    this.#timer?.clear();
    for (const release of this.#release) release();
  }

  #now(): ConsulReport {
    return consulReport(this.#options.health.report().readiness);
  }

  /** Only what is news: the events of a flapping check must not become requests, least of all to a Consul in trouble. */
  #look(): void {
    if (!isSame(this.#sent, this.#now())) void this.#report();
  }

  /** One report at a time; what changes meanwhile is in the next one, at once. */
  #report(): Promise<void> {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      if (!this.#ended) this.#plan();
    });
    return this.#sending;
  }

  async #send(): Promise<void> {
    const report = this.#now();
    this.#sent = report;
    this.#timer?.clear();
    try {
      await this.#put(consulReportPath(this.#options.checkId, report));
      if (this.#failures > 0) this.#log('info', 'consul_reported', 'Consul takes reports again');
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      // Once for a series: what changes while it lasts is in the report that ends it.
      const text = `Consul was not told: ${errorText(error)}`;
      if (this.#failures === 1) this.#log('warn', 'consul_unreported', text);
    }
  }

  #plan(): void {
    const { clock, ttlMs, random } = this.#options;
    const isNews = !isSame(this.#sent, this.#now());
    const waitMs =
      this.#failures === 0 ? reportEveryMs(ttlMs) : retryAfterMs(this.#failures, random());
    this.#timer = clock.setTimeout(() => void this.#report(), isNews ? 0 : waitMs);
  }

  /** The last word: off the agent, or critical until somebody starts it again. */
  async #leave(signal: AbortSignal): Promise<void> {
    await this.#sending;
    this.dispose();
    const { serviceId, checkId } = this.#options;
    const last = { state: 'fail', note: 'stopped' } as const;
    const path =
      serviceId === undefined ? consulReportPath(checkId, last) : consulDeregisterPath(serviceId);
    if (!signal.aborted) await this.#put(path);
  }

  async #put(path: string): Promise<void> {
    const { agent, token, fetch, clock } = this.#options;
    const controller = new AbortController();
    const timer = clock.setTimeout(
      () => controller.abort(new Error(`no answer within ${REQUEST_TIMEOUT_MS} ms`)),
      REQUEST_TIMEOUT_MS,
    );
    const base = agent.url.endsWith('/') ? agent.url : `${agent.url}/`;
    const target = { ...agent, url: new URL(`.${path}`, base).href };
    const headers = requestHeaders('headers', target, token ? { 'x-consul-token': token } : {});
    try {
      const { signal } = controller;
      const response = await httpRequest({ target, method: 'PUT', headers, fetch }, signal);
      const text = (await readBody(response, MAX_BODY, signal)) ?? '';
      if (response.status !== 200) throw new Error(`${response.status} ${this.#shown(text)}`);
    } catch (error) {
      // Its causes are in the text, masked too; kept beside it they would be told as they are.
      throw new Error(this.#masked(errorText(error)));
    } finally {
      timer.clear();
    }
  }

  /** What is between here and there may repeat what it was sent. Masked before it is cut: half a token is one too. */
  #shown(body: string): string {
    return this.#masked(body).trim().slice(0, SHOWN_BODY);
  }

  #masked(text: string): string {
    const { token } = this.#options;
    return token === undefined ? text : text.replaceAll(token, MASK);
  }

  #log(level: 'info' | 'warn', event: string, text: string): void {
    this.#options.logger[level]({ event, checkId: this.#options.checkId }, text);
  }
}

function isSame(a: ConsulReport | undefined, b: ConsulReport): boolean {
  return a?.state === b.state && a.note === b.note;
}
