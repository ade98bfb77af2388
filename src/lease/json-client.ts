import type Http from 'node:http';
import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type Https from 'node:https';
import type { AgentOptions } from 'node:https';
import { untilAborted } from '../core/abort.js';

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
  /** Path and query. */
  readonly path: string;
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

/** More than a list of 10,000 leases with texts of full length. */
const MAX_ANSWER_CHARS = 128 * 1024 * 1024;

/** Speaks JSON with one server, over connections of its own that it keeps. */
export class JsonClient {
  readonly #url: string;
  readonly #tls: () => JsonTls;
  #agent: Agent | undefined;

  /** @param tls - asked whenever connections begin anew: certificates in files change */
  constructor(url: string, tls: () => JsonTls) {
    this.#url = url.replace(/\/+$/, '');
    this.#tls = tls;
  }

  /** Asks once; every status is an answer, redirects are not followed. @throws whatever kept the answer away */
  async ask(request: JsonRequest, signal: AbortSignal): Promise<JsonAnswer> {
    signal.throwIfAborted();
    let sent: ClientRequest | undefined;
    const answer = new Promise<JsonAnswer>((resolve, reject) => {
      sent = this.#send(request).on('error', reject);
      sent.on('response', (response) => void readAll(response).then(resolve, reject));
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

  /** Closes connections as soon as they are idle; a later call opens new ones. */
  close(): void {
    const agent = this.#agent;
    this.#agent = undefined;
    if (agent === undefined) return;
    agent.maxFreeSockets = 0;
    for (const sockets of Object.values(agent.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  }

  #send({ method, path, headers, body }: JsonRequest): ClientRequest {
    const module = httpModule(this.#url);
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const sent = module.request(`${this.#url}${path}`, {
      method,
      agent: (this.#agent ??= this.#open(module)),
      headers: {
        'user-agent': 'hale',
        accept: 'application/json',
        ...(content && { 'content-type': 'application/json', 'content-length': content.length }),
        ...headers,
      },
    });
    return sent.end(content);
  }

  #open(module: HttpModule): Agent {
    // One that is idle is enough: a lease is renewed by one attempt at a time.
    const options: AgentOptions = { ...this.#tls(), keepAlive: true, maxFreeSockets: 1 };
    return new module.Agent(options);
  }
}

type HttpModule = Pick<typeof Https | typeof Http, 'Agent' | 'request'>;

function httpModule(url: string): HttpModule {
  return process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
}

function readAll(response: IncomingMessage): Promise<JsonAnswer> {
  return new Promise((resolve, reject) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MAX_ANSWER_CHARS) response.destroy(new Error('the answer is too long'));
    });
    response.on('error', reject);
    response.on('end', () => {
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, text, body: parsed(text) });
    });
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
