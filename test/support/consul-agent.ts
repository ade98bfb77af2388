import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A TTL check as the agent knows it. */
export interface ConsulCheck {
  readonly status: 'passing' | 'warning' | 'critical';
  readonly output: string;
}

/** As much of a Consul agent as TTL checks need. */
export interface ConsulAgent {
  readonly url: string;
  /** Method and path of every request so far. */
  readonly requests: readonly string[];
  check(): ConsulCheck | undefined;
  close(): Promise<void>;
}

export interface ConsulAgentOptions {
  readonly checkId: string;
  readonly serviceId: string;
  readonly ttlMs: number;
  readonly token?: string;
}

const STATES = { pass: 'passing', warn: 'warning', fail: 'critical' } as const;

/**
 * Serves the contract of the agent's HTTP API, as its documentation and the clients of several languages have it:
 * `PUT /v1/agent/check/{pass,warn,fail}/:id?note=` answers 200 with an empty body, 404 with a sentence for an id it
 * does not know, 403 for a wrong `X-Consul-Token`, 405 for another method; a check that is not reported within its time
 * to live turns critical by itself; `PUT /v1/agent/service/deregister/:id` takes the service and its checks off.
 */
export async function startConsulAgent(options: ConsulAgentOptions): Promise<ConsulAgent> {
  const requests: string[] = [];
  let check: ConsulCheck | undefined = { status: 'critical', output: '' };
  let expiry: NodeJS.Timeout | undefined;

  function answer({ method = '', url = '/', headers }: IncomingMessage): [number, string] {
    const { pathname, searchParams } = new URL(url, 'http://agent');
    const [, version, agent, what, action, id = ''] = pathname.split('/').map(decodeURIComponent);
    if (version !== 'v1' || agent !== 'agent') return [404, ''];
    if (method !== 'PUT') return [405, `method ${method} not allowed`];
    if (options.token !== undefined && headers['x-consul-token'] !== options.token)
      return [403, 'Permission denied: token with AccessorID lacks permission'];
    if (what === 'service' && action === 'deregister')
      return id === options.serviceId ? remove() : [404, `Unknown service ID "${id}"`];
    if (what !== 'check' || !(action !== undefined && action in STATES)) return [404, ''];
    if (check === undefined || id !== options.checkId)
      return [
        404,
        `Unknown check ID "${id}". Ensure that the check ID is passed, not the check name.`,
      ];
    return report(action as keyof typeof STATES, searchParams.get('note') ?? '');
  }

  function remove(): [number, string] {
    clearTimeout(expiry);
    check = undefined;
    return [200, ''];
  }

  function report(state: keyof typeof STATES, output: string): [number, string] {
    check = { status: STATES[state], output };
    clearTimeout(expiry);
    expiry = setTimeout(() => {
      check = { status: 'critical', output: 'TTL expired' };
    }, options.ttlMs);
    return [200, ''];
  }

  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const [status, body] = answer(request);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    check: () => check,
    async close() {
      clearTimeout(expiry);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
