import { Controller, Get } from '@nestjs/common';
import { OrderStore } from './order-store.js';

@Controller()
export class OrderController {
  constructor(private readonly store: OrderStore) {}

  @Get('orders')
  orders(): readonly object[] {
    return this.store.list();
  }

  /** Slow, so that a stop signal meets it in flight. */
  @Get('report')
  async report(): Promise<object> {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return { sold: this.store.list().length };
  }
}
