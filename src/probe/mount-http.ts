import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { replaceMethod } from '../core/replace-method.js';
import { type MountOptions, type MountableHealth, createMount, isLeaving } from './mount.js';
import type { ProbeResponse } from './prepared.js';

/** A request as a server of Node.js hands it over. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;
/** The response that belongs to it. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** Answers a request for a probe and tells whether it was one; any other is left untouched. Never throws. */
export type AnswerProbe = (request: NodeRequest, response: NodeResponse) => boolean;

/**
 * Mounts the probes where requests of Node.js arrive.
 * @throws OptionError on a bad `basePath`.
 */
export function mountOnHttp(health: MountableHealth, options?: MountOptions): AnswerProbe {
  const mount = createMount(health, options);
  return (request, response) => {
    const answer = mount(request);
    if (answer === undefined) return false;
    const reply = (settled: ProbeResponse): void => {
      // HTTP/2 has a frame for it, and forbids the header.
      const closes = request.httpVersionMajor === 1 && isLeaving(health);
      send(response as ServerResponse, settled, closes);
    };
    if (answer instanceof Promise) void answer.then(reply);
    else reply(answer);
    return true;
  };
}

function send(response: ServerResponse, answer: ProbeResponse, closes: boolean): void {
  // The client may have left while a check was asked.
  if (response.destroyed || response.headersSent) return;
  const { status, headers, body } = answer;
  response.writeHead(status, closes ? [...headers, 'Connection', 'close'] : [...headers]);
  response.end(body);
}

/** What interception uses of a server. */
export interface InterceptableServer {
  emit(event: string, ...args: unknown[]): boolean;
}

/** Without a listener for the second, Node.js sends its 100 itself and the request comes as the first. */
const REQUEST_EVENTS = new Set(['request', 'checkContinue']);

/**
 * Lets probes be answered before any listener of the server sees the request, whichever order listeners are added in:
 * no framework, middleware, limiter, access log or tracing stands before them. The returned function takes it back.
 */
export function interceptProbes(server: InterceptableServer, answer: AnswerProbe): () => void {
  return replaceMethod(
    server,
    'emit',
    (emit) =>
      function intercept(this: unknown, event, ...args) {
        const [request, response] = args as [NodeRequest, NodeResponse];
        if (REQUEST_EVENTS.has(event) && answer(request, response)) return true;
        return Reflect.apply(emit, this, [event, ...args]);
      },
  );
}
