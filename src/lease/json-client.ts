import type Http from 'node:http';
import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type Https from 'node:https';
import type { AgentOptions } from 'node:https';
import { untilAborted } from '../core/abort.js';
import { readLines, readText } from './answer-text.js';

/** What TLS needs to know about a server; PEM texts. */
export interface JsonTls {
  /** Certificates that are trusted instead of the system's. */
  readonly ca?: string;
  /** The certificate this client shows. */
  readonly cert?: string;
  /** The private key of `cert`. */
  readonly key?: string;
  /** The name the server's certificate must be for. @defaultValue the host of the URL */
  readonly servername?: string;
}

export interface JsonRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface JsonAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** What the text says; undefined where it is no JSON. */
  readonly body: unknown;
}

/** Answers without end. */
export interface JsonStream {
  /** Ends it; nothing is told any more. */
  close(): void;
}

/** More than a list of 10,000 leases with texts of full length. */
const MAX_ANSWER_CHARS = 128 * 1024 * 1024;

/** Speaks JSON with one server, or with several that are one, over connections of its own that it keeps. */
export class JsonClient {
  readonly #tls: () => JsonTls;
  readonly #maxChars: number;
  #agent: Agent | undefined;

  /** @param tls - asked whenever connections begin anew: certificates in files change */
  constructor(tls: () => JsonTls, maxChars = MAX_ANSWER_CHARS) {
    this.#tls = tls;
    this.#maxChars = maxChars;
  }

  /** Asks once; every status is an answer, redirects are not followed. @throws whatever kept the answer away */
  async ask(request: JsonRequest, signal: AbortSignal): Promise<JsonAnswer> {
    signal.throwIfAborted();
    let sent: ClientRequest | undefined;
    const answer = new Promise<JsonAnswer>((resolve, reject) => {
      sent = this.#send(request, { agent: this.#keptAgent(request.url) }).on('error', reject);
      sent.on('response', (response) => void this.#answer(response).then(resolve, reject));
    });
    try {
      return await untilAborted(answer, signal, () => {
        sent?.destroy();
        return signal.reason;
      });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Asks, on a connection of its own, for answers without end, one in each line; `end` is called once, also for what never
   * began, unless it is closed before.
   */
  stream(request: JsonRequest, on: { line(body: unknown): void; end(): void }): JsonStream {
    let ended = false;
    const close = (): void => {
      ended = true;
      sent.destroy();
    };
    const end = (): void => {
      if (!ended) on.end();
      close();
    };
    const sent = this.#send(request, { ...this.#tls(), agent: false }).on('error', end);
    sent.on('response', (response) => {
      response.on('error', end).on('close', end);
      if (response.statusCode !== 200) return end();
      readLines(response, this.#maxChars, (line) => !ended && on.line(parsed(line)));
    });
    // To watch is no reason for a process to live on.
    sent.on('socket', (socket) => socket.unref());
    return { close };
  }

  /** Closes connections as soon as they are idle; a later call opens new ones. */
  close(): void {
    const agent = this.#agent;
    this.#agent = undefined;
    if (agent === undefined) return;
    agent.maxFreeSockets = 0;
    for (const sockets of Object.values(agent.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  }

  async #answer(response: IncomingMessage): Promise<JsonAnswer> {
    const text = await readText(response, this.#maxChars);
    const { statusCode: status = 0, headers } = response;
    return { status, headers, text, body: parsed(text) };
  }

  #send({ method, url, headers, body }: JsonRequest, how: Http.RequestOptions): ClientRequest {
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const sent = httpModule(url).request(url, {
      ...how,
      method,
      headers: {
        'user-agent': 'hale',
        accept: 'application/json',
        ...(content && { 'content-type': 'application/json', 'content-length': content.length }),
        ...headers,
      },
    });
    return sent.end(content);
  }

  #keptAgent(url: string): Agent {
    // One that is idle is enough: a lease is renewed by one attempt at a time.
    const options = (): AgentOptions => ({ ...this.#tls(), keepAlive: true, maxFreeSockets: 1 });
    return (this.#agent ??= new (httpModule(url).Agent)(options()));
  }
}

/** Either module; all URLs of one client are of the same protocol. */
function httpModule(url: string): Pick<typeof Https | typeof Http, 'Agent' | 'request'> {
  return process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
