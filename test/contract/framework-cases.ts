import { expect } from 'vitest';
import { eventually } from '../support/program.js';
import { type AppAnswer, BROKE, NOT_HERE, bodyText } from './framework-app.js';
import type { Call, Kit, Seen } from './framework-kit.js';

/** One thing every adapter must do; it leaves the app as it found it. */
export interface FrameworkCase {
  readonly name: string;
  run(kit: Kit): Promise<void>;
}

const PROBES = ['/livez', '/readyz', '/startupz'];
const REFUSALS: readonly (readonly [string, AppAnswer])[] = [
  ['a rate limiter (429)', { status: 429, body: 'slow down' }],
  ['authentication (401)', { status: 401, body: 'who?', headers: { 'www-authenticate': 'Basic' } }],
  ['a host check (400)', { status: 400, body: 'Bad Request: unknown host' }],
  ['a host check (421)', { status: 421, body: 'misdirected' }],
  [
    'a redirect to HTTPS (301)',
    { status: 301, body: 'moved', headers: { location: 'https://127.0.0.1/' } },
  ],
];
const BROKEN_BODY: Call = { headers: { 'content-type': 'application/json' }, body: '{"item":' };

const gates = REFUSALS.map(([what, refusal]): FrameworkCase => ({
  name: `E5: probes are answered before ${what}`,
  run: (kit) => probeBehind(kit, refusal),
}));

async function probeBehind({ ask, askRoot, refuse }: Kit, refusal: AppAnswer): Promise<void> {
  refuse(refusal);
  try {
    // The gate is shut.
    expect((await askRoot('/orders')).status).toBe(refusal.status);
    for (const path of PROBES) {
      const seen = await ask(path, { headers: { host: '10.0.0.5:3000' } });
      expect([path, seen.status, seen.headers.location]).toEqual([path, 200, undefined]);
    }
  } finally {
    refuse(undefined);
  }
}

const answers: readonly FrameworkCase[] = [
  {
    name: 'E5: no middleware sees a probe, so none can count, log or trace it',
    async run({ ask, askRoot, gated }) {
      const before = gated();
      for (let round = 0; round < 5; round += 1) for (const path of PROBES) await ask(path);
      await ask('/livez', { method: 'HEAD' });
      await ask('/livez', { method: 'POST' });
      expect(gated()).toBe(before);
      await askRoot('/orders');
      expect(gated()).toBe(before + 1);
    },
  },
  {
    name: 'E2: answers are health+json, complete and never cached',
    async run({ ask }) {
      for (const path of PROBES)
        expectProbe(await ask(path), 200, { status: 'pass', reason: 'ok' });
    },
  },
  {
    name: 'E2: HEAD has the headers of GET and no body',
    async run({ ask }) {
      const got = await ask('/readyz');
      const head = await ask('/readyz', { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'cache-control', 'x-service-status'])
        expect([name, head.headers[name]]).toEqual([name, got.headers[name]]);
    },
  },
  {
    name: 'E2: other methods are 405 with Allow, whatever their body',
    async run({ ask }) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const seen = await ask('/livez', { method, ...BROKEN_BODY });
        expect([method, seen.status, seen.headers.allow]).toEqual([method, 405, 'GET, HEAD']);
      }
    },
  },
  {
    name: 'E5: probes are answered before the body parser',
    async run({ ask, askRoot }) {
      expect((await askRoot('/orders', { method: 'POST', ...BROKEN_BODY })).status).toBe(400);
      for (const path of PROBES) expect((await ask(path, BROKEN_BODY)).status).toBe(200);
    },
  },
  {
    name: 'E2, E3: a query changes neither the route nor the answer',
    async run({ ask }) {
      const { text } = await ask('/readyz');
      for (const query of ['?', '?verbose', '?exclude=database', '?path=/livez', '?a=1&b=%2F'])
        expect([query, (await ask(`/readyz${query}`)).text]).toEqual([query, text]);
    },
  },
  {
    name: 'E2: an absolute-form target leads where its path leads',
    async run({ askRoot, base }) {
      expectProbe(await askRoot(`http://orders.example${base}/livez`), 200, { status: 'pass' });
    },
  },
];

const passedOn: readonly FrameworkCase[] = [
  {
    name: "E2: a path that is no probe goes on to the user's app",
    async run({ ask, askRoot, base }) {
      const elsewhere = ['/nothing', ...(base === '' ? [] : PROBES)];
      for (const path of elsewhere) expectAnswer(path, await askRoot(path), NOT_HERE);
      for (const path of ['/livez/x', '/startupz2', '/livez.json'])
        expectAnswer(path, await ask(path), NOT_HERE);
    },
  },
  {
    name: 'E2: a probe path in another spelling is no probe',
    async run({ ask, resolvesDots }) {
      const dots = resolvesDots ? [] : ['/./livez'];
      for (const path of ['/livez/', '/LIVEZ', '/%6civez', '//livez', ...dots]) {
        const seen = await ask(path);
        expect([path, seen.headers['content-type']]).not.toEqual([path, 'application/health+json']);
      }
    },
  },
  {
    name: "E3: the user's own routes are untouched, also those that begin like a probe",
    async run({ ask, askRoot }) {
      expect((await askRoot('/orders')).text).toBe('orders');
      expect((await askRoot('/metrics')).text).toBe('metrics of the user');
      for (const path of ['/livezz', '/livez/orders', '/readyz/database', '/healthz/status'])
        expect((await ask(path)).text).toBe(`user ${path}`);
      const body = '{"item":"tea"}';
      const headers = { 'content-type': 'application/json' };
      const created = await askRoot('/orders', { method: 'POST', headers, body });
      expect([created.status, JSON.parse(created.text)]).toEqual([201, { item: 'tea' }]);
    },
  },
  {
    name: "E2: the user's error handler still hears of the user's errors",
    async run({ askRoot }) {
      expectAnswer('/broken', await askRoot('/broken'), BROKE);
    },
  },
];

const states: readonly FrameworkCase[] = [
  {
    name: 'R1, L6: readiness is 503 with its reason while a critical check fails, liveness stays 200',
    async run({ ask, setDatabase }) {
      setDatabase(false);
      const failing = await eventually('503', () => withStatus(ask('/readyz'), 503), 2000);
      expectProbe(failing, 503, { status: 'fail', reason: 'check_failed:database' });
      expect(failing.text).not.toContain('db.internal');
      expect((await ask('/livez')).status).toBe(200);
      setDatabase(true);
      await eventually('200', () => withStatus(ask('/readyz'), 200), 2000);
    },
  },
  {
    name: 'O1: requests in flight are counted, and counted off',
    async run({ askRoot, health, slowBegun, release }) {
      const answer = askRoot('/slow');
      // A failure further down must not leave a rejection behind.
      answer.catch(() => {});
      await slowBegun();
      try {
        expect(health.report().inFlight).toBe(1);
      } finally {
        release();
      }
      expect((await answer).text).toBe('slow but done');
      await eventually('idle', () => (health.report().inFlight === 0 ? true : undefined), 2000);
    },
  },
];

/** The cases that share one app. */
export const SERVING_CASES: readonly FrameworkCase[] = [
  ...gates,
  ...answers,
  ...passedOn,
  ...states,
];

/** Expects an answer of a probe, headers included. */
export function expectProbe(seen: Seen, status: number, body: object): void {
  expect(seen.status).toBe(status);
  expect(seen.headers).toMatchObject({
    'content-type': 'application/health+json',
    'cache-control': 'no-cache, no-store, must-revalidate',
    'x-content-type-options': 'nosniff',
    'x-service-status': status === 200 ? 'ok' : 'unavailable',
    'content-length': String(Buffer.byteLength(seen.text)),
  });
  expect(JSON.parse(seen.text)).toMatchObject(body);
}

function expectAnswer(path: string, { status, text }: Seen, answer: AppAnswer): void {
  expect([path, status, text]).toEqual([path, answer.status, bodyText(answer)]);
}

async function withStatus(answer: Promise<Seen>, status: number): Promise<Seen | undefined> {
  const seen = await answer;
  return seen.status === status ? seen : undefined;
}
