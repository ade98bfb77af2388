import type { Server as HttpServer, ServerResponse } from 'node:http';
import type {
  Http2SecureServer,
  Http2Server,
  Http2ServerResponse,
  ServerHttp2Stream,
} from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import type { Server as NetServer } from 'node:net';
import { expectTypeOf, test } from 'vitest';
import type { WebSocketServer } from 'ws';
import type {
  AdmissionMiddleware,
  AdmissionResponse,
  ConcurrencyLimit,
  DrainableServer,
  StreamLike,
  WebSocketServerLike,
  createAimdLimit,
} from '../../src/index.js';

test('the servers of Node.js and of ws can be drained; a plain TCP server cannot', () => {
  expectTypeOf<HttpServer>().toExtend<DrainableServer>();
  expectTypeOf<HttpsServer>().toExtend<DrainableServer>();
  expectTypeOf<Http2Server>().toExtend<DrainableServer>();
  expectTypeOf<Http2SecureServer>().toExtend<DrainableServer>();
  expectTypeOf<WebSocketServer>().toExtend<WebSocketServerLike>();
  expectTypeOf<NetServer>().not.toExtend<DrainableServer>();
});

test('responses of HTTP/1 and HTTP/2 can be registered as streams and admitted', () => {
  expectTypeOf<ServerResponse>().toExtend<StreamLike>();
  expectTypeOf<Http2ServerResponse>().toExtend<StreamLike>();
  expectTypeOf<ServerHttp2Stream>().toExtend<StreamLike>();
  expectTypeOf<ServerResponse>().toExtend<AdmissionResponse>();
  expectTypeOf<Http2ServerResponse>().toExtend<AdmissionResponse>();
  expectTypeOf<AdmissionMiddleware>().toExtend<
    (request: unknown, response: ServerResponse, next: () => void) => void
  >();
  expectTypeOf<ReturnType<typeof createAimdLimit>>().toEqualTypeOf<ConcurrencyLimit>();
});
