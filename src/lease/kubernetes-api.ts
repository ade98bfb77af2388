import type { HttpTarget } from '../core/http-client.js';
import { type JsonAnswer, JsonClient, type JsonRequest, type JsonTls } from './json-client.js';
import { type LeaseObject, MANAGED_BY } from './kubernetes-object.js';

/** Where an API server is, and as whom it is asked. */
export interface KubernetesAccess {
  readonly target: HttpTarget;
  readonly namespace: string;
  /** Certificates; read anew with each new connection. */
  tls(): JsonTls;
  /** The bearer token; read anew with each request, for the kubelet replaces it. */
  token(): string | undefined;
}

interface Status {
  readonly kind?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly details?: { readonly kind?: unknown };
}

/** Reads and writes Leases of one namespace. */
export class KubernetesApi {
  readonly #access: KubernetesAccess;
  readonly #client: JsonClient;
  readonly #url: string;

  constructor(access: KubernetesAccess) {
    this.#access = access;
    this.#client = new JsonClient(() => access.tls());
    const namespace = encodeURIComponent(access.namespace);
    this.#url = `${access.target.url.replace(/\/+$/, '')}/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  }

  /** The object as the majority of etcd has it, or undefined where there is none. */
  async get(name: string, signal: AbortSignal): Promise<LeaseObject | undefined> {
    const answer = await this.#ask({ method: 'GET', url: `${this.#url}/${name}` }, signal);
    if (isMissing(answer)) return undefined;
    return objectOf(answer);
  }

  async list(signal: AbortSignal): Promise<readonly LeaseObject[]> {
    const selector = encodeURIComponent(`${MANAGED_BY.label}=${MANAGED_BY.value}`);
    const url = `${this.#url}?labelSelector=${selector}`;
    const answer = await this.#ask({ method: 'GET', url }, signal);
    const { kind, items } = (answer.body ?? {}) as { kind?: unknown; items?: LeaseObject[] };
    if (answer.status !== 200 || kind !== 'LeaseList') throw refusal(answer);
    return items ?? [];
  }

  /**
   * Creates an object that has no revision, replaces one that has; undefined when that is no longer what is there, and
   * nothing was changed.
   */
  async write(object: LeaseObject, signal: AbortSignal): Promise<LeaseObject | undefined> {
    const { name, resourceVersion } = object.metadata;
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...object };
    const isNew = resourceVersion === undefined;
    const request: JsonRequest = isNew
      ? { method: 'POST', url: this.#url, body }
      : { method: 'PUT', url: `${this.#url}/${name}`, body };
    const answer = await this.#ask(request, signal);
    const isOvertaken = answer.status === 409 && isStatus(answer, ['AlreadyExists', 'Conflict']);
    if (isOvertaken || (!isNew && isMissing(answer))) return undefined;
    return objectOf(answer);
  }

  close(): void {
    this.#client.close();
  }

  async #ask(request: JsonRequest, signal: AbortSignal): Promise<JsonAnswer> {
    const token = this.#access.token();
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return this.#client.ask({ ...request, headers }, signal);
  }
}

/** Only what says that this Lease does not exist proves it; so would any web server answer 404. */
function isMissing(answer: JsonAnswer): boolean {
  return answer.status === 404 && isStatus(answer, ['NotFound']);
}

function isStatus({ body }: JsonAnswer, reasons: readonly string[]): boolean {
  const { kind, reason, details } = (body ?? {}) as Status;
  return kind === 'Status' && reasons.includes(String(reason)) && details?.kind === 'leases';
}

function objectOf(answer: JsonAnswer): LeaseObject {
  const { kind } = (answer.body ?? {}) as { kind?: unknown };
  if (![200, 201].includes(answer.status) || kind !== 'Lease') throw refusal(answer);
  return answer.body as LeaseObject;
}

function refusal({ status, body }: JsonAnswer): Error {
  const { message } = (body ?? {}) as Status;
  const text = typeof message === 'string' ? message.slice(0, 300) : 'no Status of Kubernetes';
  return new Error(`Kubernetes answered ${status}: ${text}`);
}
