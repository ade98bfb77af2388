import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Http2SecureServer, Http2Server } from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import type { Server as NetServer } from 'node:net';
import type express4 from 'express4';
import type express5 from 'express5';
import type { FastifyInstance as Fastify4, fastify as fastify4 } from 'fastify4';
import type {
  FastifyBaseLogger,
  FastifyInstance as Fastify5,
  FastifyTypeProvider,
  fastify as fastify5,
} from 'fastify5';
import type Koa2 from 'koa2';
import type Koa3 from 'koa3';
import { expectTypeOf, test } from 'vitest';
import type { ExpressHealth, ExpressLike } from '../../src/frameworks/express.js';
import type { FastifyHealth, FastifyLike } from '../../src/frameworks/fastify.js';
import type { KoaHealth, KoaLike } from '../../src/frameworks/koa.js';
import type { NodeHttpHealth, NodeServer } from '../../src/frameworks/node-http.js';
import type { Health } from '../../src/index.js';

interface OwnProvider extends FastifyTypeProvider {
  readonly validator: unknown;
  readonly serializer: unknown;
}

test('an application of Express 4 and 5 fits; a router and a server do not', () => {
  expectTypeOf<ReturnType<typeof express4>>().toExtend<ExpressLike>();
  expectTypeOf<ReturnType<typeof express5>>().toExtend<ExpressLike>();
  expectTypeOf<ReturnType<typeof express4.Router>>().not.toExtend<ExpressLike>();
  expectTypeOf<ReturnType<typeof express5.Router>>().not.toExtend<ExpressLike>();
  expectTypeOf<Health>().toExtend<ExpressHealth>();
});

test('an application of Koa 2 and 3 fits; one of Express does not', () => {
  expectTypeOf<Koa2>().toExtend<KoaLike>();
  expectTypeOf<Koa3>().toExtend<KoaLike>();
  expectTypeOf<Koa3<{ user: string }, { log: () => void }>>().toExtend<KoaLike>();
  expectTypeOf<ReturnType<typeof express5>>().not.toExtend<KoaLike>();
  expectTypeOf<Health>().toExtend<KoaHealth>();
});

test('an instance of Fastify 4 and 5 fits, over HTTP/1, HTTPS and HTTP/2', () => {
  expectTypeOf<Fastify4>().toExtend<FastifyLike>();
  expectTypeOf<Fastify5>().toExtend<FastifyLike>();
  expectTypeOf<ReturnType<typeof fastify4>>().toExtend<FastifyLike>();
  expectTypeOf<ReturnType<typeof fastify5>>().toExtend<FastifyLike>();
  expectTypeOf<Fastify4<HttpsServer>>().toExtend<FastifyLike>();
  expectTypeOf<Fastify5<HttpsServer>>().toExtend<FastifyLike>();
  expectTypeOf<Fastify4<Http2SecureServer>>().toExtend<FastifyLike>();
  expectTypeOf<Fastify5<Http2SecureServer>>().toExtend<FastifyLike>();
  expectTypeOf<
    Fastify5<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, OwnProvider>
  >().toExtend<FastifyLike>();
  expectTypeOf<ReturnType<typeof express5>>().not.toExtend<FastifyLike>();
  expectTypeOf<Health>().toExtend<FastifyHealth>();
});

test('every server of Node.js that speaks HTTP fits; a plain TCP server does not', () => {
  expectTypeOf<Server>().toExtend<NodeServer>();
  expectTypeOf<HttpsServer>().toExtend<NodeServer>();
  expectTypeOf<Http2Server>().toExtend<NodeServer>();
  expectTypeOf<Http2SecureServer>().toExtend<NodeServer>();
  expectTypeOf<NetServer>().not.toExtend<NodeServer>();
  expectTypeOf<Health>().toExtend<NodeHttpHealth>();
});
