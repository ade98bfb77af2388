import type { HttpTarget } from '../core/http-client.js';
import type { ConsulPair } from './consul-entries.js';
import { type JsonAnswer, JsonClient, type JsonRequest, type JsonTls } from './json-client.js';

/** Where a Consul agent is, and as whom it is asked. */
export interface ConsulAccess {
  readonly target: HttpTarget;
  readonly tls: JsonTls;
  readonly token: string | undefined;
}

/** One operation of a transaction on a key. */
export interface ConsulOperation {
  readonly Verb: 'lock' | 'unlock' | 'check-session';
  readonly Key: string;
  readonly Session: string;
  /** In base64. */
  readonly Value?: string;
}

/** Path and query instead of a URL. */
type ConsulRequest = Pick<JsonRequest, 'method' | 'body'> & { readonly path: string };

/** How a transaction ended. */
export type ConsulOutcome =
  /** How often the key was locked, after the last operation. */
  | { readonly done: true; readonly lockIndex: bigint }
  | { readonly done: false; readonly why: string };

/** The part of Consul's HTTP API that leases need: sessions, and keys that they lock. */
export class ConsulApi {
  readonly #headers: Readonly<Record<string, string>>;
  readonly #client: JsonClient;
  readonly #url: string;

  constructor({ target, tls, token }: ConsulAccess) {
    this.#headers = token === undefined ? target.authorization : { 'x-consul-token': token };
    this.#client = new JsonClient(() => tls);
    this.#url = target.url.replace(/\/+$/, '');
  }

  /** Keys as a majority has them: the one of this name, or all that begin with it. */
  async read(key: string, all: boolean, signal: AbortSignal): Promise<readonly ConsulPair[]> {
    const path = `/v1/kv/${encodeURI(key)}?consistent${all ? '&recurse' : ''}`;
    const answer = await this.#ask({ method: 'GET', path }, signal);
    // Any web server answers 404; Consul says as of which change it has no such key.
    if (answer.headers['x-consul-index'] === undefined) throw refusal(answer);
    if (answer.status === 404) return [];
    if (answer.status !== 200 || !Array.isArray(answer.body)) throw refusal(answer);
    return answer.body as ConsulPair[];
  }

  /** Begins a session that ends by its ttl alone, and gives its locks back at once when it does. */
  async createSession(name: string, ttlMs: number, signal: AbortSignal): Promise<string> {
    const body = {
      Name: name,
      TTL: `${Math.floor(ttlMs)}ms`,
      Behavior: 'release',
      LockDelay: '0s',
      // By default a session ends as soon as gossip takes its node for dead, long before the ttl, and the holder lives on.
      Checks: [],
      NodeChecks: [],
    };
    const answer = await this.#ask({ method: 'PUT', path: '/v1/session/create', body }, signal);
    const { ID: id } = (answer.body ?? {}) as { ID?: unknown };
    if (answer.status !== 200 || typeof id !== 'string') throw refusal(answer);
    return id;
  }

  /** Whether the session lives, and does so for another ttl. */
  async renewSession(id: string, signal: AbortSignal): Promise<boolean> {
    const path = `/v1/session/renew/${encodeURIComponent(id)}`;
    const answer = await this.#ask({ method: 'PUT', path }, signal);
    if (answer.status === 404 && answer.text.includes(id)) return false;
    if (answer.status !== 200 || !Array.isArray(answer.body)) throw refusal(answer);
    return true;
  }

  /** Ends a session, whether or not there is one. */
  async destroySession(id: string, signal: AbortSignal): Promise<void> {
    const path = `/v1/session/destroy/${encodeURIComponent(id)}`;
    const answer = await this.#ask({ method: 'PUT', path }, signal);
    if (answer.status !== 200) throw refusal(answer);
  }

  /** All of it, or nothing. */
  async transact(
    operations: readonly ConsulOperation[],
    signal: AbortSignal,
  ): Promise<ConsulOutcome> {
    const body = operations.map((operation) => ({ KV: operation }));
    const answer = await this.#ask({ method: 'PUT', path: '/v1/txn', body }, signal);
    const { Results, Errors } = (answer.body ?? {}) as {
      Results?: readonly { KV?: ConsulPair }[] | null;
      Errors?: readonly { What?: unknown }[] | null;
    };
    const lockIndex = Results?.at(-1)?.KV?.LockIndex;
    if (answer.status === 200 && Number.isSafeInteger(lockIndex))
      return { done: true, lockIndex: BigInt(lockIndex as number) };
    if (answer.status !== 409 || !Errors?.length) throw refusal(answer);
    return { done: false, why: Errors.map(({ What }) => String(What).slice(0, 200)).join('; ') };
  }

  close(): void {
    this.#client.close();
  }

  #ask({ path, ...rest }: ConsulRequest, signal: AbortSignal): Promise<JsonAnswer> {
    const request = { ...rest, url: `${this.#url}${path}`, headers: this.#headers };
    return this.#client.ask(request, signal);
  }
}

function refusal({ status, text }: JsonAnswer): Error {
  // Whatever is no sentence was not written by Consul.
  const sentence = /^[^<{[\r\n]{1,300}/.exec(text.trim())?.[0] ?? 'nothing that Consul would say';
  return new Error(`Consul answered ${status}: ${sentence}`);
}
