import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { MemoryHealthIndicator } from '@nestjs/terminus';
import type { Health } from 'hale';
import { HEALTH, HealthCheckOf, fromIndicator } from 'hale/nest';

const GIGABYTE = 1024 ** 3;

/** Stands for a database. */
@Injectable()
export class OrderStore implements OnModuleDestroy {
  #open = true;

  constructor(@Inject(HEALTH) health: Health, memory: MemoryHealthIndicator) {
    // An indicator of terminus, asked on hale's schedule.
    const run = fromIndicator(() => memory.checkHeap('heap', GIGABYTE));
    health.addCheck('heap', { impact: 'degraded', run });
  }

  /** A method that is a check. */
  @HealthCheckOf('orders', { impact: 'critical' })
  async ping(): Promise<void> {
    if (!this.#open) throw new Error('the store is closed');
  }

  list(): readonly object[] {
    return [{ item: 'tea' }];
  }

  /** Runs in the drain, once requests have ended. */
  onModuleDestroy(): void {
    this.#open = false;
  }
}
