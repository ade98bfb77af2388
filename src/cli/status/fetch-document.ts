import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { Clock } from '../../core/clock.js';
import type { StatusCall } from './arguments.js';

/** What the diagnostic listener answered. */
export interface DocumentAnswer {
  readonly status: number;
  readonly body: string;
}

/** A day of history of a thousand checks is less. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Asks once.
 * @throws Error with a text for people when there is no answer in time, or it is too long.
 */
export function fetchDocument(
  { url, token, tls, timeoutMs }: StatusCall,
  clock: Pick<Clock, 'setTimeout'>,
): Promise<DocumentAnswer> {
  const headers = {
    accept: 'application/health+json, application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve, reject) => {
    const request =
      url.protocol === 'https:'
        ? https.request(url, { headers, agent: false, ...tlsOptions(tls) })
        : http.request(url, { headers, agent: false });
    const timer = clock.setTimeout(
      () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)),
      timeoutMs,
      { keepsProcessAlive: true },
    );
    const fail = (error: Error): void => {
      timer.clear();
      reject(error);
    };
    request.once('error', fail);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MAX_BYTES) request.destroy(new Error('the answer is too long'));
      });
      response.once('error', fail);
      response.once('end', () => {
        timer.clear();
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
      });
    });
    request.end();
  });
}

/** @throws Error when a file cannot be read. */
function tlsOptions({ ca, cert, key, insecure }: StatusCall['tls']): https.RequestOptions {
  return {
    ...(ca === undefined ? {} : { ca: readFileSync(ca) }),
    ...(cert === undefined ? {} : { cert: readFileSync(cert) }),
    ...(key === undefined ? {} : { key: readFileSync(key) }),
    rejectUnauthorized: !insecure,
  };
}
