import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  Http2ServerRequest,
  Http2ServerResponse,
  IncomingHttpHeaders,
  ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { ProbeRequest } from './handler.js';

/** A request as a server of Node.js hands it over. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;
/** The response that belongs to it. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** What answering uses of a request. */
export type ArrivedRequest = ProbeRequest & Pick<NodeRequest, 'httpVersionMajor'>;

/** What answering uses of a response. */
export interface ArrivedResponse {
  readonly destroyed?: boolean;
  readonly headersSent: boolean;
  writeHead(status: number, headers: string[]): unknown;
  end(body: string): unknown;
  destroy(): unknown;
}

/** Answers a request for a probe and tells whether it was one; any other is left untouched. Never throws. */
export type AnswerProbe = (
  request: ArrivedRequest,
  response: NodeResponse | ArrivedResponse,
) => boolean;

/** Shows an event of a server to `answer`, if a request arrives with it; `true` where that has answered it. */
export function answerArrival(
  answer: AnswerProbe,
  event: string,
  args: readonly unknown[],
): boolean {
  switch (event) {
    case 'request':
    // Without a listener for it, Node.js sends its 100 itself and the request comes as the first.
    case 'checkContinue':
      return answer(args[0] as NodeRequest, args[1] as NodeResponse);
    case 'stream':
      return isStream(args[0])
        ? answerStream(answer, args[0], args[1] as IncomingHttpHeaders)
        : false;
    case 'upgrade':
      return answerUpgrade(answer, args[0] as IncomingMessage, args[1] as Socket);
    default:
      return false;
  }
}

/** Others may have an event of this name. */
function isStream(value: unknown): value is ServerHttp2Stream {
  return typeof (value as Partial<ServerHttp2Stream> | undefined)?.respond === 'function';
}

/** Before the requests of HTTP/2 are made of its streams: an application may listen to the streams alone. */
function answerStream(
  answer: AnswerProbe,
  stream: ServerHttp2Stream,
  { ':method': method, ':path': url }: IncomingHttpHeaders,
): boolean {
  if (!answer({ method, url, httpVersionMajor: 2 }, responseOn(stream))) return false;
  // A client may take its request back at any moment.
  stream.on('error', () => {});
  // One that is taken back with NO_ERROR is never closed by Node.js, and keeps its session open.
  stream.once('end', () => {
    if (stream.closed) stream.destroy();
  });
  return true;
}

function responseOn(stream: ServerHttp2Stream): ArrivedResponse {
  return {
    get destroyed() {
      return stream.destroyed;
    },
    get headersSent() {
      return stream.headersSent;
    },
    writeHead(status, headers) {
      stream.respond({ ':status': status, ...fieldsOf(headers) });
    },
    end(body) {
      // The answer to HEAD has ended with its headers.
      if (!stream.writableEnded) stream.end(body);
    },
    destroy: () => stream.destroy(),
  };
}

function fieldsOf(headers: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (let index = 0; index + 1 < headers.length; index += 2)
    fields[headers[index] ?? ''] = headers[index + 1] ?? '';
  return fields;
}

/**
 * Some clients offer HTTP/2 with each request, and where somebody listens for upgrades, as WebSockets do, Node.js hands
 * over the bare connection. An offer may be ignored (RFC 9110, section 7.8).
 */
function answerUpgrade(answer: AnswerProbe, request: IncomingMessage, socket: Socket): boolean {
  // The answer to a request before it on this connection is still under way, and nobody can be second.
  if ((socket as { _httpMessage?: unknown } | undefined)?._httpMessage) return false;
  const { ServerResponse } = process.getBuiltinModule('node:http');
  const response = new ServerResponse(request);
  // Node.js reads no further request from it.
  response.shouldKeepAlive = false;
  response.once('finish', () => socket.destroySoon());
  if (!answer(request, response)) return false;
  socket.on('error', () => socket.destroy());
  response.assignSocket(socket);
  return true;
}
