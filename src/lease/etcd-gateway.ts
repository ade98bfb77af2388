import type { HttpTarget } from '../core/http-client.js';
import {
  type JsonAnswer,
  JsonClient,
  type JsonRequest,
  type JsonStream,
  type JsonTls,
} from './json-client.js';

/** Where an etcd is, and as whom it is asked. */
export interface EtcdAccess {
  readonly targets: readonly HttpTarget[];
  readonly tls: JsonTls;
  readonly user: { readonly name: string; readonly password: string } | undefined;
}

/** An answer of the gateway; numbers of 64 bits come as text. */
export type EtcdAnswer = Readonly<Record<string, unknown>>;

/** An answer that is a refusal. */
class EtcdRefusal extends Error {
  readonly status: number;

  constructor({ status, body }: JsonAnswer) {
    super(`etcd answered ${status}: ${refusalText(body)}`);
    this.status = status;
  }
}

/** Speaks the JSON gateway of etcd (3.4 or later) over connections of its own. */
export class EtcdGateway {
  readonly #access: EtcdAccess;
  readonly #client: JsonClient;
  #endpoint = 0;
  #token: string | undefined;

  constructor(access: EtcdAccess) {
    this.#access = access;
    this.#client = new JsonClient(() => access.tls);
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

  /** Asks for answers without end; `end` is called once, also for what never began, unless it is closed before. */
  stream(
    path: string,
    body: object,
    on: { answer(answer: EtcdAnswer): void; end(): void },
  ): JsonStream {
    return this.#client.stream(this.#request(path, body), {
      line: (line) => on.answer(answerOf(line)),
      end: () => on.end(),
    });
  }

  /** Closes connections as soon as they are idle; a later call opens new ones. */
  close(): void {
    this.#client.close();
  }

  async #authenticate(signal: AbortSignal): Promise<void> {
    const { user } = this.#access;
    if (user === undefined || this.#token !== undefined) return;
    const { token } = await this.#ask('/v3/auth/authenticate', user, signal);
    if (typeof token !== 'string') throw new Error('etcd answered without a token');
    this.#token = token;
  }

  async #ask(path: string, body: object, signal: AbortSignal): Promise<EtcdAnswer> {
    const answer = await this.#client.ask(this.#request(path, body), signal);
    if (answer.status !== 200) throw new EtcdRefusal(answer);
    return answerOf(answer.body);
  }

  #request(path: string, body: object): JsonRequest {
    const { targets } = this.#access;
    const { url, authorization } = targets[this.#endpoint % targets.length] as HttpTarget;
    const token = this.#token === undefined ? {} : { authorization: this.#token };
    const headers = { ...authorization, ...token };
    return { method: 'POST', url: `${url.replace(/\/+$/, '')}${path}`, headers, body };
  }
}

/** What is no object is an answer that says nothing. */
function answerOf(body: unknown): EtcdAnswer {
  return typeof body === 'object' && body !== null ? (body as EtcdAnswer) : {};
}

function refusalText(body: unknown): string {
  const { message, error } = answerOf(body);
  const found = message ?? error;
  return typeof found === 'string' ? found.slice(0, 200) : 'no text';
}
