import type { FastifyInstance } from 'fastify';
import type { Mailer } from '../mail/mailer.js';
import { HttpProblem } from '../problem.js';
import type { OrderStore } from './order-store.js';

const ORDER_BODY = {
  type: 'object',
  required: ['item', 'quantity'],
  additionalProperties: false,
  properties: {
    item: { type: 'string', minLength: 1, maxLength: 100, pattern: '\\S' },
    quantity: { type: 'integer', minimum: 1, maximum: 1000 },
  },
} as const;

// As text: an id is a path segment, and Number() accepts more than an id may be.
const ORDER_ID = {
  type: 'object',
  properties: { id: { type: 'string', pattern: '^[1-9][0-9]{0,9}$' } },
} as const;

const MAX_ID = 2_147_483_647;

function notFound(id: string): HttpProblem {
  return new HttpProblem(404, 'order_not_found', `there is no order ${id}`);
}

/** Create, list, pay. */
export function orderRoutes(app: FastifyInstance, store: OrderStore, mailer: Mailer): void {
  app.get('/orders', async () => store.list());

  app.post<{ Body: { item: string; quantity: number } }>(
    '/orders',
    { schema: { body: ORDER_BODY } },
    async ({ body }, reply) => {
      const order = await store.create(body.item, body.quantity);
      return reply.code(201).header('location', `/orders/${order.id}`).send(order);
    },
  );

  app.post<{ Params: { id: string } }>(
    '/orders/:id/pay',
    { schema: { params: ORDER_ID } },
    async ({ params }) => {
      const id = Number(params.id);
      const order = id <= MAX_ID ? await store.pay(id) : undefined;
      if (order === undefined) throw notFound(params.id);
      return { ...order, mail: await mailer.send(`order ${order.id} is paid`) };
    },
  );
}
