import { createHash } from 'node:crypto';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As much of S3 as conditional writes need, path style, without signatures. */
export interface S3Server {
  readonly url: string;
  /** Every body that was stored, in order, by `/bucket/key`. */
  stored(path: string): readonly string[];
  close(): Promise<void>;
}

export interface S3ServerOptions {
  /** Whether `If-Match` is looked at; some servers do not. @defaultValue true */
  readonly conditions?: boolean;
}

type Answer = [status: number, body: string, headers?: Record<string, string>];

/**
 * Follows the API reference of PutObject: an ETag is the MD5 of the content; `If-None-Match: *` on what exists and `If-Match`
 * on what has another ETag are answered with 412, `If-Match` on what does not exist with 404. A body that holds `spoil` is
 * answered with 500.
 */
export async function startS3Server({
  conditions = true,
}: S3ServerOptions = {}): Promise<S3Server> {
  const objects = new Map<string, string[]>();

  const put = (path: string, body: string, { headers }: IncomingMessage): Answer => {
    if (body.includes('spoil')) return failure(500, 'InternalError');
    const before = objects.get(path);
    const present = before?.at(-1);
    const match = headers['if-match'];
    if (conditions && headers['if-none-match'] === '*' && present !== undefined)
      return failure(412, 'PreconditionFailed');
    if (conditions && match !== undefined && present === undefined)
      return failure(404, 'NoSuchKey');
    if (conditions && match !== undefined && match !== etagOf(String(present)))
      return failure(412, 'PreconditionFailed');
    objects.set(path, [...(before ?? []), body]);
    return [200, '', { etag: etagOf(body) }];
  };

  const answer = (request: IncomingMessage, body: string): Answer => {
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://s3').pathname);
    if (request.method === 'PUT') return put(path, body, request);
    const present = objects.get(path)?.at(-1);
    if (present === undefined) return failure(404, 'NoSuchKey');
    return [200, present, { etag: etagOf(present) }];
  };

  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const [status, body, headers = {}] = answer(request, text);
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stored: (path) => objects.get(path) ?? [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function failure(status: number, code: string): Answer {
  const xml = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`;
  return [status, xml, { 'content-type': 'application/xml' }];
}

function etagOf(body: string): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}
