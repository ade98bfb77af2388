import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import {
  GRPC_HEALTH_PATH,
  GRPC_STATUS,
  type GrpcStatus,
  SERVING_STATUS,
  decodeService,
  encodeServingList,
  encodeServingStatus,
  frameMessage,
  unframeMessage,
} from '../protocol/grpc-health.js';
import type { GrpcServices } from './grpc-services.js';
import type { GrpcWatches } from './grpc-watches.js';

export interface GrpcExchangeOptions {
  readonly services: GrpcServices;
  readonly watches: GrpcWatches;
  readonly onError: (error: unknown) => void;
}

/** Answers one call. */
export type GrpcExchange = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

type Method = (stream: ServerHttp2Stream, request: Uint8Array) => Promise<void>;

/** A request holds a name; what is longer is none. */
const MAX_REQUEST_BYTES = 4096;
/** After the protocol: more services than this are not listed. */
const MAX_LISTED = 100;
const CONTENT = { ':status': 200, 'content-type': 'application/grpc' } as const;

/** Joins the services to node:http2, after the gRPC Health Checking Protocol and "gRPC over HTTP2". */
export function createGrpcExchange({
  services,
  watches,
  onError,
}: GrpcExchangeOptions): GrpcExchange {
  const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
    ['Check', check],
    ['Watch', watch],
    ['List', list],
  ]);

  async function check(stream: ServerHttp2Stream, request: Uint8Array): Promise<void> {
    const service = decodeService(request);
    await services.refresh(service);
    const status = services.status(service);
    if (status === undefined) refuse(stream, GRPC_STATUS.notFound, `unknown service "${service}"`);
    else answer(stream, encodeServingStatus(status));
  }

  async function watch(stream: ServerHttp2Stream, request: Uint8Array): Promise<void> {
    const service = decodeService(request);
    await services.refresh(service);
    if (stream.destroyed) return;
    begin(stream, GRPC_STATUS.unavailable);
    watches.add(service, stream);
  }

  async function list(stream: ServerHttp2Stream): Promise<void> {
    await services.refresh('');
    const names = services.names();
    if (names.length > MAX_LISTED) {
      refuse(stream, GRPC_STATUS.resourceExhausted, `more than ${MAX_LISTED} services`);
      return;
    }
    const statuses = names.map(
      (name) => [name, services.status(name) ?? SERVING_STATUS.unknown] as const,
    );
    answer(stream, encodeServingList(statuses));
  }

  async function run(stream: ServerHttp2Stream, method: Method): Promise<void> {
    try {
      const request = unframeMessage(await readRequest(stream));
      // An unreadable message is the caller's error, whatever comes after it is ours.
      decodeService(request);
      await method(stream, request).catch((error: unknown) => {
        onError(error);
        refuse(stream, GRPC_STATUS.internal, 'internal error');
      });
    } catch (error) {
      refuse(stream, GRPC_STATUS.invalidArgument, (error as Error).message);
    }
  }

  return (stream, headers) => {
    // The client may reset at any time; there is nothing to do about it.
    stream.on('error', () => {});
    const { ':method': verb, ':path': path = '', 'content-type': type = '' } = headers;
    if (verb !== 'POST' || !type.startsWith('application/grpc')) {
      stream.respond({ ':status': 415 }, { endStream: true });
      return;
    }
    const method = path.startsWith(GRPC_HEALTH_PATH)
      ? methods.get(path.slice(GRPC_HEALTH_PATH.length))
      : undefined;
    if (method === undefined) refuse(stream, GRPC_STATUS.unimplemented, `no method ${path}`);
    else void run(stream, method);
  };
}

function readRequest(stream: ServerHttp2Stream): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    stream.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > MAX_REQUEST_BYTES) reject(new Error('the request is too long'));
      else chunks.push(chunk);
    });
    stream.once('end', () => resolve(Buffer.concat(chunks)));
    stream.once('close', () => reject(new Error('the request was cut short')));
  });
}

function begin(stream: ServerHttp2Stream, status: GrpcStatus): void {
  stream.respond(CONTENT, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(status) }));
}

function answer(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (stream.destroyed) return;
  begin(stream, GRPC_STATUS.ok);
  stream.end(frameMessage(message));
}

/** An answer of trailers only. */
function refuse(stream: ServerHttp2Stream, status: GrpcStatus, message: string): void {
  if (stream.destroyed || stream.headersSent) return;
  const trailers = { 'grpc-status': String(status), 'grpc-message': encodeURIComponent(message) };
  stream.respond({ ...CONTENT, ...trailers }, { endStream: true });
}
