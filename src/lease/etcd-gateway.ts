import type Http from 'node:http';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type Https from 'node:https';
import type { AgentOptions } from 'node:https';
import { untilAborted } from '../core/abort.js';
import type { HttpTarget } from '../core/http-client.js';

/** What TLS needs to know about an etcd; PEM texts. */
export interface EtcdTls {
  /** Certificates that are trusted instead of the system's. */
  readonly ca?: string;
  /** The certificate this client shows. */
  readonly cert?: string;
  /** The private key of `cert`. */
  readonly key?: string;
  /** The name the server's certificate must be for. @defaultValue the host of the URL */
  readonly servername?: string;
}

/** Where an etcd is, and as whom it is asked. */
export interface EtcdAccess {
  readonly targets: readonly HttpTarget[];
  readonly tls: EtcdTls;
  readonly user: { readonly name: string; readonly password: string } | undefined;
}

/** An answer of the gateway; numbers of 64 bits come as text. */
export type EtcdAnswer = Readonly<Record<string, unknown>>;

/** A stream under way. */
export interface EtcdStream {
  close(): void;
}

/** More than a list of 10,000 leases with texts of full length. */
const MAX_ANSWER_CHARS = 128 * 1024 * 1024;

/** An answer that is a refusal. */
class EtcdRefusal extends Error {
  constructor(
    readonly status: number,
    text: string,
  ) {
    super(`etcd answered ${status}: ${refusalText(text)}`);
  }
}

/** Speaks the JSON gateway of etcd (3.4 or later) over connections of its own. */
export class EtcdGateway {
  readonly #access: EtcdAccess;
  #agent: Agent | undefined;
  #endpoint = 0;
  #token: string | undefined;

  constructor(access: EtcdAccess) {
    this.#access = access;
  }

  /** Asks once; a failure makes the next call ask the next endpoint. @throws whatever kept the answer away */
  async call(path: string, body: object, signal: AbortSignal): Promise<EtcdAnswer> {
    signal.throwIfAborted();
    try {
      await this.#authenticate(signal);
      return await this.#ask(path, body, signal);
    } catch (error) {
      // A member that is cut off from the others refuses, and may do so for long.
      if (!(error instanceof EtcdRefusal) || error.status >= 500) this.#endpoint += 1;
      const hadToken = this.#token !== undefined;
      this.#token = undefined;
      // Tokens of etcd end after minutes, and with a restart.
      if (!hadToken || !(error instanceof EtcdRefusal) || error.status !== 401) throw error;
    }
    await this.#authenticate(signal);
    return this.#ask(path, body, signal);
  }

  /** Asks for answers without end; `onEnd` is called once, also for what never began, unless it is closed before. */
  stream(
    path: string,
    body: object,
    on: { answer(answer: EtcdAnswer): void; end(): void },
  ): EtcdStream {
    let ended = false;
    const end = (): void => {
      if (!ended) on.end();
      ended = true;
      request.destroy();
    };
    const request = this.#request(path, body, false, (response) => {
      response.on('error', end).on('close', end);
      if (response.statusCode !== 200) return end();
      readLines(response, (line) => !ended && on.answer(answerOf(line)), end);
    });
    request.on('error', end);
    // To watch is no reason for a process to live on.
    request.on('socket', (socket) => socket.unref());
    return {
      close() {
        ended = true;
        request.destroy();
      },
    };
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

  async #authenticate(signal: AbortSignal): Promise<void> {
    const { user } = this.#access;
    if (user === undefined || this.#token !== undefined) return;
    const { token } = await this.#ask('/v3/auth/authenticate', user, signal);
    if (typeof token !== 'string') throw new Error('etcd answered without a token');
    this.#token = token;
  }

  #ask(path: string, body: object, signal: AbortSignal): Promise<EtcdAnswer> {
    let request: ClientRequest | undefined;
    const answer = new Promise<EtcdAnswer>((resolve, reject) => {
      request = this.#request(path, body, true, (response) => {
        readAll(response).then(resolve, reject);
      }).on('error', reject);
    });
    return untilAborted(answer, signal, () => {
      request?.destroy();
      return signal.reason;
    });
  }

  #request(
    path: string,
    body: object,
    kept: boolean,
    onResponse: (response: IncomingMessage) => void,
  ): ClientRequest {
    const { targets } = this.#access;
    const { url, authorization } = targets[this.#endpoint % targets.length] as HttpTarget;
    const { request } = httpModule(url);
    const content = Buffer.from(JSON.stringify(body));
    const sent = request(`${url.replace(/\/+$/, '')}${path}`, {
      ...(kept ? {} : this.#access.tls),
      method: 'POST',
      agent: kept ? this.#keptAgent(url) : false,
      headers: {
        ...authorization,
        ...(this.#token === undefined ? {} : { authorization: this.#token }),
        'user-agent': 'hale',
        'content-type': 'application/json',
        'content-length': content.length,
      },
    });
    sent.on('response', onResponse).end(content);
    return sent;
  }

  #keptAgent(url: string): Agent {
    // One that is idle is enough: a lease is renewed by one attempt at a time.
    const options: AgentOptions = { ...this.#access.tls, keepAlive: true, maxFreeSockets: 1 };
    return (this.#agent ??= new (httpModule(url).Agent)(options));
  }
}

/** Either module; all endpoints speak the same protocol. */
function httpModule(url: string): Pick<typeof Https | typeof Http, 'Agent' | 'request'> {
  return process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
}

function readAll(response: IncomingMessage): Promise<EtcdAnswer> {
  return new Promise((resolve, reject) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MAX_ANSWER_CHARS) response.destroy(new Error('the answer is too long'));
    });
    response.on('error', reject);
    response.on('end', () => {
      const { statusCode = 0 } = response;
      if (statusCode !== 200) reject(new EtcdRefusal(statusCode, text));
      else resolve(answerOf(text));
    });
  });
}

function readLines(
  response: IncomingMessage,
  onLine: (line: string) => void,
  onTooLong: () => void,
): void {
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
    if (rest.length > MAX_ANSWER_CHARS) onTooLong();
  });
}

/** The object in a text; what is none is an answer that says nothing. */
function answerOf(text: string): EtcdAnswer {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as EtcdAnswer;
  } catch {
    // The text itself stays out of errors.
  }
  return {};
}

function refusalText(text: string): string {
  const { message, error } = answerOf(text);
  const found = message ?? error;
  return typeof found === 'string' ? found.slice(0, 200) : 'no text';
}
