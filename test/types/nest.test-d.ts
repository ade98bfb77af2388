import type { DynamicModule, INestApplication } from '@nestjs/common';
import { type ModulesContainer, type NestFactory } from '@nestjs/core';
import type { HealthIndicatorService, MemoryHealthIndicator } from '@nestjs/terminus';
import { expectTypeOf, test } from 'vitest';
import {
  type CheckDecorator,
  HealthCheckOf,
  type HealthDynamicModule,
  type NestCore,
  type NestLike,
  attachHealth,
  fromIndicator,
  healthModule,
} from '../../src/frameworks/nest.js';
import type { Health } from '../../src/index.js';
import type {
  DynamicModule as DynamicModule10,
  INestApplication as INestApplication10,
} from '../fixtures/nest-10/node_modules/@nestjs/common/index.js';
import type { ModulesContainer as ModulesContainer10 } from '../fixtures/nest-10/node_modules/@nestjs/core/index.js';
import type { MemoryHealthIndicator as MemoryHealthIndicator10 } from '../fixtures/nest-10/node_modules/@nestjs/terminus/dist/index.js';

declare const health: Health;

test('applications of Nest 10 and 11 can be attached to', () => {
  expectTypeOf<INestApplication>().toExtend<NestLike>();
  expectTypeOf<INestApplication10>().toExtend<NestLike>();
  expectTypeOf<Awaited<ReturnType<(typeof NestFactory)['create']>>>().toExtend<NestLike>();
  expectTypeOf(attachHealth).toBeCallableWith({} as INestApplication, health, {
    basePath: '/shop',
  });
});

test('the module fits the imports of both, and takes their core', () => {
  expectTypeOf<HealthDynamicModule>().toExtend<DynamicModule>();
  expectTypeOf<HealthDynamicModule>().toExtend<DynamicModule10>();
  expectTypeOf<{ ModulesContainer: typeof ModulesContainer }>().toExtend<NestCore>();
  expectTypeOf<{ ModulesContainer: typeof ModulesContainer10 }>().toExtend<NestCore>();
  expectTypeOf(healthModule).toBeCallableWith({} as NestCore, health);
});

test('the decorator takes methods that can be checks, and no others', () => {
  const decorator = HealthCheckOf('database', { impact: 'degraded', intervalMs: 1000 });
  expectTypeOf(decorator).toEqualTypeOf<CheckDecorator>();
  const on = <T>(value: T): TypedPropertyDescriptor<T> => ({ value });
  const indicators = {} as HealthIndicatorService;
  decorator(
    {},
    'ping',
    on(async (signal: AbortSignal) => signal.throwIfAborted()),
  );
  decorator(
    {},
    'ping',
    on(() => indicators.check('database').up({ pool: 3 })),
  );
  decorator(
    {},
    'ping',
    on(async () => indicators.check('database').down('refused')),
  );
  const [number, host] = [on(() => 3), on((name: string) => void name)];
  // @ts-expect-error a check answers with a status, not with a number
  decorator({}, 'ping', number);
  // @ts-expect-error nobody calls it with anything but a signal
  decorator({}, 'ping', host);
});

test('indicators of terminus 10 and 11 become checks', () => {
  const [memory, memory10] = [{} as MemoryHealthIndicator, {} as MemoryHealthIndicator10];
  expectTypeOf(fromIndicator).toBeCallableWith(() => memory.checkHeap('heap', 1));
  expectTypeOf(fromIndicator).toBeCallableWith(() => memory10.checkHeap('heap', 1));
  // @ts-expect-error an indicator is asked when the check runs, not before
  fromIndicator(memory.checkHeap('heap', 1));
});
