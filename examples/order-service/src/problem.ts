import type { FastifyError, FastifyInstance } from 'fastify';
import { codeOf, isUnavailable } from './database/pool.js';
import type { Log } from './log.js';

/** An answer other than success that the client should understand. */
export class HttpProblem extends Error {
  readonly status: number;
  /** Stable word for programs. */
  readonly word: string;

  constructor(status: number, word: string, message: string) {
    super(message);
    this.name = 'HttpProblem';
    this.status = status;
    this.word = word;
  }
}

/** Turns whatever a route threw into what the client may know. */
export function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const { statusCode, validation, message } = error as Partial<FastifyError>;
  if (validation !== undefined) return new HttpProblem(400, 'invalid_request', String(message));
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new HttpProblem(statusCode, 'invalid_request', String(message));
  }
  if (codeOf(error) === 'HALE_LEASE_LOST') {
    return new HttpProblem(
      503,
      'not_the_holder',
      'this copy of the service is not the one in charge',
    );
  }
  if (isUnavailable(error)) {
    return new HttpProblem(503, 'database_unavailable', 'the database cannot be reached right now');
  }
  return new HttpProblem(500, 'internal_error', 'something went wrong');
}

/** Makes every error answer of the application JSON of one shape: `{error, message}`. */
export function answerProblems(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error);
    if (problem.status >= 500) {
      const { method, routeOptions } = request;
      log.warn({ method, route: routeOptions.url, code: codeOf(error) }, problem.word);
    }
    if (problem.status === 503) void reply.header('retry-after', '1');
    return reply.code(problem.status).send({ error: problem.word, message: problem.message });
  });
  app.setNotFoundHandler((request, reply) =>
    reply
      .code(404)
      .send({ error: 'not_found', message: `there is no ${request.method} on this path` }),
  );
}
