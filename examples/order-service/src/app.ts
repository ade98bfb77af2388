import Fastify, { type FastifyInstance } from 'fastify';
import type { Faults } from './faults/faults.js';
import { faultRoutes } from './faults/fault-routes.js';
import type { Log } from './log.js';
import type { Mailer } from './mail/mailer.js';
import { orderRoutes } from './orders/order-routes.js';
import type { OrderStore } from './orders/order-store.js';
import { panelRoutes } from './panel/panel-routes.js';
import { answerProblems } from './problem.js';

/** What the application is made of. */
export interface AppParts {
  log: Log;
  store: OrderStore;
  mailer: Mailer;
  /** Absent: faults and panel are unknown paths. */
  demo?: { faults: Faults; relayPort: number; drain: () => void };
}

const MAX_BODY_BYTES = 16 * 1024;

/** An empty body with a JSON content type is no body: paying needs none, and many clients send the type. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null);
    else void parse(request, String(body), done);
  });
}

/** The order API and, with demo faults, the panel; not yet listening. */
export async function createApp({ log, store, mailer, demo }: AppParts): Promise<FastifyInstance> {
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
  });
  acceptEmptyJson(app);
  answerProblems(app, log);
  orderRoutes(app, store, mailer);
  if (demo !== undefined) {
    faultRoutes(app, demo.faults, demo.drain);
    await panelRoutes(app, demo.relayPort);
  }
  return app;
}
