import { type CanActivate, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { APP_GUARD, ModulesContainer } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { healthModule } from 'hale/nest';
import { health } from './health.js';
import { OrderController } from './order-controller.js';
import { OrderStore } from './order-store.js';

/** Lets nobody in without a key; probes never meet it. */
@Injectable()
class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    return headers['x-key'] === 'tea';
  }
}

@Module({
  imports: [healthModule({ ModulesContainer }, health), TerminusModule.forRoot({ logger: false })],
  controllers: [OrderController],
  providers: [OrderStore, { provide: APP_GUARD, useClass: KeyGuard }],
})
export class AppModule {}
