import { metrics, type Meter } from '@opentelemetry/api';
import * as prom15 from 'prom-client';
import * as prom14 from 'prom-client14';
import { expectTypeOf, test } from 'vitest';
import type { Health } from '../../src/index.js';
import { type OtelMeter, observeHealth } from '../../src/observe/opentelemetry.js';
import { type PromRegistry, addToRegistry } from '../../src/observe/prom-client.js';

declare const health: Health;

test('O1: registries of every supported prom-client fit', () => {
  expectTypeOf<prom14.Registry>().toExtend<PromRegistry>();
  expectTypeOf<prom15.Registry>().toExtend<PromRegistry>();
  expectTypeOf(addToRegistry(prom14.register, health)).toEqualTypeOf<() => void>();
  expectTypeOf(addToRegistry(prom15.register, health)).toEqualTypeOf<() => void>();
  const open = new prom15.Registry<prom15.OpenMetricsContentType>();
  expectTypeOf(addToRegistry(open, health)).toEqualTypeOf<() => void>();
  // @ts-expect-error a counter is no registry
  addToRegistry(new prom15.Counter({ name: 'a', help: 'a' }), health);
});

test('O1: a meter of @opentelemetry/api fits', () => {
  expectTypeOf<Meter>().toExtend<OtelMeter>();
  expectTypeOf(observeHealth(metrics.getMeter('hale'), health)).toEqualTypeOf<() => void>();
  // @ts-expect-error the api itself is no meter
  observeHealth(metrics, health);
});
