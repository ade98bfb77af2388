import { createHash, timingSafeEqual } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type GuardedRequest, createAccessGuard } from '../../src/probe/access-guard.js';

const FIRST = 'the-first-of-two-tokens';
const SECOND = 'the-second-of-two-tokens';
const loopback = { host: '127.0.0.1', tokens: [] };
const asks = (authorization?: string, more: Partial<GuardedRequest> = {}): GuardedRequest => ({
  method: 'GET',
  ...more,
  headers: { ...(authorization === undefined ? {} : { authorization }), ...more.headers },
});

afterEach(() => vi.restoreAllMocks());

describe('E4: the bearer token', () => {
  const guard = createAccessGuard({ host: '0.0.0.0', tokens: [FIRST, SECOND] });

  it('lets any of the tokens in, however the scheme is written', () => {
    for (const header of [`Bearer ${FIRST}`, `bearer ${SECOND}`, `BEARER  ${FIRST} `])
      expect(guard?.(asks(header))).toBeUndefined();
  });

  const WRONG = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Bearer ${FIRST}x`,
    `Bearer ${FIRST.slice(0, -1)}`,
    `Bearer ${FIRST} ${SECOND}`,
    `Basic ${FIRST}`,
    FIRST,
    `Bearer ${'x'.repeat(4000)}`,
  ];

  it('gives everybody else the very same answer', () => {
    const answers = WRONG.map((header) => guard?.(asks(header)));
    expect(answers[0]).toMatchObject({ status: 401, body: '{"error":"unauthorized"}' });
    for (const answer of answers) expect(answer).toBe(answers[0]);
    expect(answers[0]?.headers).toEqual(expect.arrayContaining(['WWW-Authenticate', 'Bearer']));
    const head = guard?.(asks(undefined, { method: 'HEAD' }));
    expect(head).toMatchObject({ status: 401, headers: answers[0]?.headers, body: '' });
  });

  it('does the same work for a right, a nearly right and a missing token', () => {
    const digests: number[] = [];
    const compared: number[] = [];
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue({
      createHash: () => ({
        update: (text: string) => {
          digests.push(text.length);
          return createHash('sha256').update(text);
        },
      }),
      timingSafeEqual: (a: Uint8Array, b: Uint8Array) => {
        compared.push(a.length);
        return timingSafeEqual(a, b);
      },
    } as never);
    const watched = createAccessGuard({ host: '::1', tokens: [FIRST, SECOND] });
    for (const header of [`Bearer ${FIRST}`, `Bearer ${SECOND}`, ...WRONG]) {
      digests.length = 0;
      compared.length = 0;
      watched?.(asks(header));
      expect(digests).toHaveLength(1);
      // Both, also after the first has matched; always 32 bytes, whatever was sent.
      expect(compared).toEqual([32, 32]);
    }
  });
});

describe('E4: loopback without a token', () => {
  const guard = createAccessGuard(loopback);

  it.each([
    undefined,
    '',
    'localhost',
    'localhost:9401',
    '127.0.0.1:9401',
    '[::1]:9401',
    '10.1.2.3',
  ])('answers who asks by address: %s', (host) => {
    expect(guard?.({ method: 'GET', headers: host === undefined ? {} : { host } })).toBeUndefined();
  });

  it.each([
    'evil.example',
    'evil.example:9401',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
  ])('refuses a name that somebody else made lead here: %s', (host) => {
    expect(guard?.({ method: 'GET', headers: { host } })).toMatchObject({ status: 421 });
    expect(guard?.({ method: 'HEAD', headers: { host } })).toMatchObject({ status: 421, body: '' });
  });

  it('has no guard where certificates decide, or where it was said to be open', () => {
    const tls = { cert: '/c', key: '/k', clientCa: '/ca' };
    expect(createAccessGuard({ ...loopback, tls })).toBeUndefined();
    expect(createAccessGuard({ host: '0.0.0.0', tokens: [] })).toBeUndefined();
  });
});
