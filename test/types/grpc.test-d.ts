import { Server } from '@grpc/grpc-js';
import { describe, expectTypeOf, it } from 'vitest';
import { type GrpcHealthSource, addHealthService } from '../../src/frameworks/grpc.js';
import type { Health } from '../../src/index.js';

declare const health: Health;

describe('addHealthService', () => {
  it('takes the server of @grpc/grpc-js 1', () => {
    expectTypeOf(addHealthService(new Server(), health)).toEqualTypeOf<() => void>();
    addHealthService(new Server(), health, { services: { 'orders.v1.Orders': 'readiness' } });
  });

  it('takes a health, and nothing that is no server or probe', () => {
    expectTypeOf<Health>().toExtend<GrpcHealthSource>();
    // @ts-expect-error an HTTP server has no addService()
    addHealthService({ listen() {} }, health);
    // @ts-expect-error there is no such probe
    addHealthService(new Server(), health, { services: { orders: 'ready' } });
  });
});
