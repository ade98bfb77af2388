import { replaceMethod } from '../core/replace-method.js';
import { type MountOptions, type MountableHealth, createMount, isLeaving } from './mount.js';
import { type AnswerProbe, type ArrivedResponse, answerArrival } from './node-arrivals.js';
import type { ProbeResponse } from './prepared.js';

export type { AnswerProbe, NodeRequest, NodeResponse } from './node-arrivals.js';

/**
 * Mounts the probes where requests of Node.js arrive.
 * @throws OptionError on a bad `basePath`, or when `health` is none.
 */
export function mountOnHttp(health: MountableHealth, options?: MountOptions): AnswerProbe {
  const mount = createMount(health, options);
  return (request, response) => {
    const answer = mount(request);
    if (answer === undefined) return false;
    const reply = (settled: ProbeResponse): void => {
      try {
        // HTTP/2 has a frame for it, and forbids the header.
        const closes = request.httpVersionMajor === 1 && isLeaving(health);
        send(response as ArrivedResponse, settled, closes);
      } catch {
        // Somebody has wrapped the response, say. The client sees it, the application need not end for it.
        response.destroy();
      }
    };
    if (answer instanceof Promise) void answer.then(reply);
    else reply(answer);
    return true;
  };
}

function send(response: ArrivedResponse, answer: ProbeResponse, closes: boolean): void {
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
        if (answerArrival(answer, event, args)) return true;
        return Reflect.apply(emit, this, [event, ...args]);
      },
  );
}
