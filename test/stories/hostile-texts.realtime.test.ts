import { once } from 'node:events';
import { type IncomingMessage, get } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { BoundAddress } from '../../src/core/probe-host.js';
import { type Health, createHealth, messageFirst } from '../../src/index.js';
import { eventually } from '../support/program.js';

const HOSTILE =
  '<script>window.owned=1</script> "one" \'two\' \\ \r\nSet-Cookie: owned=1\r\n\r\n{"owned":1}\nowned 1\n\u0000\u0007\u001b[31m\u202e\u2028';
const ASKED = encodeURIComponent(HOSTILE);
const PATHS = [
  '/livez',
  '/readyz',
  '/startupz?verbose',
  '/readyz?verbose',
  '/readyz/database?verbose',
  '/metrics',
  '/healthz/status',
  `/${ASKED}`,
  `/readyz/${ASKED}`,
  `/readyz?exclude=${ASKED}`,
];
const HEADERS = { accept: 'text/html', 'x-request-id': encodeURI(HOSTILE) };

interface Answer {
  readonly url: string;
  readonly type: string;
  readonly headers: readonly string[];
  readonly body: string;
}

let health: Health | undefined;
afterEach(() => health?.dispose());

async function ask(url: string, headers: Record<string, string>): Promise<Answer> {
  const [response] = (await once(get(url, { headers, agent: false }), 'response')) as [
    IncomingMessage,
  ];
  const { rawHeaders, headers: read } = response;
  return {
    url,
    type: read['content-type'] ?? '',
    headers: rawHeaders,
    body: await textOf(response),
  };
}

describe('E7: names and texts with HTML, quotes, newlines and control bytes', () => {
  it('E7: are harmless in bodies, the page, metrics, headers and log lines', async () => {
    const logged: { message: string; fields: object }[] = [];
    const log = (message: string, fields: object): void => void logged.push({ message, fields });
    health = createHealth({
      ...{ version: HOSTILE, releaseId: HOSTILE, signals: false, env: {} },
      probes: { port: 0, host: '127.0.0.1', details: true },
      diagnostic: { port: 0 },
      logger: messageFirst({ info: log, warn: log, error: log }),
      checks: {
        database: {
          ...{ intervalMs: 100, failureThreshold: 1 },
          run: () => Promise.reject(Object.assign(new Error(HOSTILE), { code: HOSTILE })),
        },
        queue: () => ({ status: 'warn', observedValue: HOSTILE, observedUnit: HOSTILE }),
      },
    });
    const started = health;
    expect(() => started.addCheck(HOSTILE, () => {})).toThrow(/must be a name of 1 to 64 letters/);
    const addresses: readonly BoundAddress[] = await started.start();
    await eventually('a failure', async () =>
      started.report().checks.some(({ verdict }) => verdict === 'fail') ? true : undefined,
    );
    started.fatal(HOSTILE);
    await new Promise((resolve) => setTimeout(resolve, 300));

    const answers: Answer[] = [];
    for (const { port } of addresses)
      for (const path of PATHS)
        for (const headers of [{}, HEADERS])
          answers.push(await ask(`http://127.0.0.1:${port}${path}`, headers));

    // The texts themselves must have come through, or their absence would prove nothing.
    expect(answers.filter(({ body }) => body.includes('owned')).length).toBeGreaterThan(5);
    expect(logged.filter(({ message }) => message.includes('owned')).length).toBeGreaterThan(0);
    for (const { url, headers } of answers)
      expect([url, headers.filter((each) => /owned|script>|cookie/i.test(each))]).toEqual([
        url,
        [],
      ]);
    const of = (type: string) => answers.filter((answer) => answer.type.includes(type));
    expect([of('html').length, of('json').length > 10, of('text/plain').length > 0]).toEqual([
      1,
      true,
      true,
    ]);
    for (const { body } of of('html')) expect(body).not.toMatch(/<script(?:>|&gt;)window/);
    for (const { body } of of('json')) expect(JSON.parse(body)).not.toHaveProperty('owned');
    for (const { body } of of('text/plain').filter(({ url }) => url.endsWith('/metrics')))
      expect(body.split('\n').filter((line) => !/^(?:$|# |hale_)/.test(line))).toEqual([]);
    // oxlint-disable-next-line no-control-regex
    const steering = /[\u0000-\u001f\u007f-\u009f]/;
    expect(logged.filter(({ message }) => steering.test(message))).toEqual([]);
  });
});
