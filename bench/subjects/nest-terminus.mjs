import 'reflect-metadata';
import { Controller, Get, Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  HealthCheck,
  HealthCheckService,
  HealthIndicatorService,
  TerminusModule,
} from '@nestjs/terminus';
import { runSubject } from './host.mjs';

class HealthController {
  constructor(health, indicators) {
    this.health = health;
    this.indicators = indicators;
  }

  liveness() {
    return this.health.check([async () => this.indicators.check('self').up()]);
  }
}

class HealthModule {}

// Decorators applied by hand: this file runs as it is, without a compiler.
const route = Object.getOwnPropertyDescriptor(HealthController.prototype, 'liveness');
Get()(HealthController.prototype, 'liveness', route);
HealthCheck()(HealthController.prototype, 'liveness', route);
Inject(HealthCheckService)(HealthController, undefined, 0);
Inject(HealthIndicatorService)(HealthController, undefined, 1);
Controller('health')(HealthController);
Module({ controllers: [HealthController], imports: [TerminusModule] })(HealthModule);

await runSubject(async ({ port }) => {
  const app = await NestFactory.create(HealthModule, { logger: false });
  await app.listen(port, '127.0.0.1');
  const { port: bound } = app.getHttpServer().address();
  return { probeUrl: `http://127.0.0.1:${bound}/health` };
});
