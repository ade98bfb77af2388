import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../problem.js';
import { NATIVE_WAYS, blockInNativeCode, blockTheLoop } from './block-the-loop.js';
import { DATABASE_MODES, type Faults } from './faults.js';
import { choiceParameter, msParameter } from './parameters.js';

type Query = { Querystring: Record<string, unknown> };

const BLOCK_MS = 12_000;
/** Long enough for the answer to leave before the block begins. */
const ANSWER_FIRST_MS = 50;

/** A page on another site must not break this service through its visitor's browser. */
function refuseForeignPages(request: FastifyRequest): void {
  const { origin, host } = request.headers;
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) return;
  throw new HttpProblem(403, 'foreign_origin', 'faults can only be injected from this page');
}

function blockAfterAnswer(reply: FastifyReply, block: () => void): void {
  reply.raw.once('finish', () => setTimeout(block, ANSWER_FIRST_MS));
}

/** `POST /faults/…`; registered only when demo faults are on, otherwise they are unknown paths. */
export function faultRoutes(app: FastifyInstance, faults: Faults, drain: () => void): void {
  app.addHook('onRequest', async (request) => {
    if (request.url.startsWith('/faults/')) refuseForeignPages(request);
  });

  app.post<Query>('/faults/database', async ({ query }) => {
    const mode = choiceParameter('mode', query['mode'], DATABASE_MODES);
    return { database: await faults.database(mode, msParameter(query['ms'])) };
  });

  app.post<Query>('/faults/loop', async ({ query }, reply) => {
    const ms = msParameter(query['ms']) ?? BLOCK_MS;
    blockAfterAnswer(reply, () => blockTheLoop(ms));
    return { loop: { blockedForMs: ms } };
  });

  app.post<Query>('/faults/native', async ({ query }, reply) => {
    const ms = msParameter(query['ms']) ?? BLOCK_MS;
    const way = choiceParameter('way', query['way'] ?? 'wait', NATIVE_WAYS);
    blockAfterAnswer(reply, () => blockInNativeCode(ms, way));
    return { native: { blockedForMs: ms, way } };
  });

  app.post<Query>('/faults/mail', async ({ query }) => {
    const mode = choiceParameter('mode', query['mode'], ['ok', 'down'] as const);
    faults.mail(mode);
    return { mail: { mode } };
  });

  app.post('/faults/drain', async (_request, reply) => {
    reply.raw.once('finish', drain);
    return { drain: 'started' };
  });
}
