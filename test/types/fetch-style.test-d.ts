import type { HttpBindings, serve } from '@hono/node-server';
import { Elysia } from 'elysia';
import { Hono } from 'hono';
import type { Server } from 'node:http';
import { expectTypeOf, test } from 'vitest';
import { fetchHandler, withHealth } from '../../src/frameworks/fetch.js';
import { type HonoLike, attachHealth } from '../../src/frameworks/hono.js';
import { type NextHealth, attachHealthToNext } from '../../src/frameworks/next.js';
import type { DrainableServer, Health } from '../../src/index.js';

declare const health: Health;

test('applications of Hono can be attached to, whatever their bindings are', () => {
  const app = new Hono<{ Bindings: HttpBindings; Variables: { user: string } }>().basePath('/shop');
  expectTypeOf(app).toExtend<HonoLike>();
  expectTypeOf(new Hono()).toExtend<HonoLike>();
  expectTypeOf(attachHealth).toBeCallableWith(app, health, { basePath: '/shop', counts: true });
  expectTypeOf(attachHealth(app, health)).toEqualTypeOf<() => void>();
  expectTypeOf<Extract<ReturnType<typeof serve>, Server>>().toExtend<DrainableServer>();
});

test('a handler keeps its parameters behind the probes', () => {
  const plain = withHealth((request) => new Response(request.url), health);
  expectTypeOf(plain).parameters.toEqualTypeOf<[request: Request]>();
  const more = withHealth((_request: Request, env: { KV: string }) => new Response(env.KV), health);
  expectTypeOf(more).parameters.toEqualTypeOf<[request: Request, env: { KV: string }]>();
  expectTypeOf(more).returns.toEqualTypeOf<Response | Promise<Response>>();
  expectTypeOf(withHealth).toBeCallableWith(new Elysia().get('/', () => 'orders').fetch, health);
  // @ts-expect-error a handler answers with a Response
  withHealth(() => 'orders', health);
});

test('a route handler of Next.js is a fetch handler', () => {
  expectTypeOf(fetchHandler(health)).toExtend<(request: Request) => Promise<Response>>();
  expectTypeOf<Health>().toExtend<NextHealth>();
  expectTypeOf(attachHealthToNext).toBeCallableWith(health, { port: 3000, drains: false });
});
