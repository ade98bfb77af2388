import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createRedactor } from '../../src/core/redact.js';

const redact = createRedactor();
const MASK = '[redacted]';

/** A text, and what is left of it. */
const TABLE: readonly (readonly [text: string, redacted: string])[] = [
  [
    'connect postgres://app:hunter2@db:5432/orders failed',
    `connect postgres://${MASK}@db:5432/orders failed`,
  ],
  ['postgres://u:p@ss/w@rd@h/db', `postgres://${MASK}@h/db`],
  ['redis://:sekret@h:6379', `redis://${MASK}@h:6379`],
  ['amqp://a:b@h1,amqp://c:d@h2', `amqp://${MASK}@h2`],
  ['mongodb+srv://u:p@h/?w=1', `mongodb+srv://${MASK}@h/?w=1`],
  ['<https://user@host/x>', `<https://${MASK}@host/x>`],
  ['url=HTTP://u:p@h', `url=HTTP://${MASK}@h`],
  ['"postgres://u:pa" ss@h', `"postgres://u:${MASK}" ss@h`],
  ['http://@h', `http://${MASK}@h`],
  ['root:hunter2@tcp(db:3306)/x', `root:${MASK}@tcp(db:3306)/x`],
  ['root:a/b:c@tcp(db)', `root:${MASK}@tcp(db)`],
  ['Authorization: Bearer abc.def-ghi', `Authorization: ${MASK}`],
  ['authorization: Basic dXNlcjpwYXNz', `authorization: ${MASK}`],
  ['Authorization: Token abcdef1234', `Authorization: ${MASK}`],
  ['Proxy-Authorization=x y', `Proxy-Authorization=${MASK}`],
  ['Authorization: Digest username="Muf", response="6629"; ok', `Authorization: ${MASK}; ok`],
  ['{"authorization":"Bearer a b c","x":1}', `{"authorization":${MASK},"x":1}`],
  ['got Bearer sekrettoken', `got Bearer ${MASK}`],
  ['got basic dXNlcjpwYXNz', `got basic ${MASK}`],
  ['Digest aaaaaaaaaaaaaaaaaaaaaaa', `Digest ${MASK}`],
  ['Cookie: a=b; session=xyz; theme=dark', `Cookie: ${MASK}`],
  ['set-cookie: sid=abc; Path=/; HttpOnly', `set-cookie: ${MASK}; HttpOnly`],
  ['x-api-key: abc', `x-api-key: ${MASK}`],
  ['{"password":"abc\\"def","x":1}', `{"password":${MASK},"x":1}`],
  ['{"password" : "a b", "x": 1}', `{"password" : ${MASK}, "x": 1}`],
  ["{ password: 'it\\'s', x: 1 }", `{ password: ${MASK}, x: 1 }`],
  ['{ password: `a\'"b`, x: 1 }', `{ password: ${MASK}, x: 1 }`],
  ['{password:hunter2}', `{password:${MASK}}`],
  [
    JSON.stringify(JSON.stringify({ password: 'a"b\\c', x: 2 })),
    `"{\\"password\\":${MASK},\\"x\\":2}"`,
  ],
  ['{"cut off password": "abc', `{"cut off password": ${MASK}`],
  ['?access_token=abc&x=1', `?access_token=${MASK}&x=1`],
  ['X-Amz-Signature=abc&x=1', `X-Amz-Signature=${MASK}&x=1`],
  ['AccountKey=abc==;Endpoint=x', `AccountKey=${MASK};Endpoint=x`],
  ['password=a,b host=x', `password=${MASK} host=x`],
  ['password=a,=b,c', `password=${MASK}`],
  ['token=x,host=y', `token=${MASK},host=y`],
  ['token=x, then more', `token=${MASK}, then more`],
  ['(password=hunter2)', `(password=${MASK})`],
  ['auth[password]=abc', `auth[password]=${MASK}`],
  [':password=>"x"', `:password=>${MASK}`],
  ['dbPass=x DB_PASS=y pass: q PWD=z', `dbPass=${MASK} DB_PASS=${MASK} pass: ${MASK} PWD=${MASK}`],
  ['auth=q1 authUrl=q2 xAuth=q3', `auth=${MASK} authUrl=${MASK} xAuth=${MASK}`],
  ['mysql --password hunter2 -h db', `mysql --password ${MASK} -h db`],
  ['tool --api-key "a b" run', `tool --api-key ${MASK} run`],
  ["ALTER USER x WITH PASSWORD 'hunter 2'", `ALTER USER x WITH PASSWORD ${MASK}`],
  ["CREATE USER x IDENTIFIED BY 'hunter2'", `CREATE USER x IDENTIFIED BY ${MASK}`],
  ['key AKIAIOSFODNN7EXAMPLE used', `key ${MASK} used`],
  ['aws wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEK1Y used', `aws ${MASK} used`],
  ['jwt eyJhbGciOi.eyJzdWIi.sig-x end', `jwt ${MASK} end`],
  ['ghp_abcdefghijkl github_pat_abcdefghijkl', `${MASK} ${MASK}`],
  ['sk_live_abcdefghijkl glpat-abcdefghijkl xoxb-123456789012-ab', `${MASK} ${MASK} ${MASK}`],
  ['hvs.abcdefghijklmn SG.abcdefghijkl.abc', `${MASK} ${MASK}`],
  [`npm_${'aB3'.repeat(12)}`, MASK],
  [`AIza${'x-_'.repeat(11)}`, MASK],
  ['-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- after', `${MASK} after`],
  ['-----BEGIN PRIVATE KEY-----\nMII cut', MASK],
  ['-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----', MASK],
];

/** What an operator needs to read. */
const READABLE = [
  'password authentication failed for user "x"',
  "Access denied for user 'root'@'localhost' (using password: YES)",
  '(using password: NO)',
  'connect ECONNREFUSED 127.0.0.1:5432',
  'connect ECONNREFUSED ::1:6379',
  'getaddrinfo ENOTFOUND db.internal',
  'WRONGPASS invalid username-password pair or user is disabled.',
  'NOAUTH Authentication required.',
  'Bearer authentication required',
  'bearer token expired',
  'basic authentication failed',
  'Basic Authentication failed',
  'digest mismatch',
  'commit 1d35815aa0b2c3d4e5f60718293a4b5c6d7e8f90',
  'image sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'request 123e4567-e89b-12d3-a456-426614174000',
  'http://localhost:9400/livez answered 503',
  'fetch http://[::1]:9400/x',
  'ws://h:80: refused',
  'mail to bob@example.com failed',
  'passing: 2, failing: 1, author=Bob, signal: SIGKILL, bypass=1, authors: 3',
  'Unexpected token } in JSON at position 5',
  'npm_lifecycle_event',
  'tlsSecure=true token: null',
  'relation "orders" does not exist',
  'at /srv/app/node_modules/pg/lib/client.js:132:17',
  'certificate has expired',
  ':a@h',
  'a:@h',
  'at 12:30@',
  '',
];

describe('redact', () => {
  it.each(TABLE)('E7: masks %s', (text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  it.each(READABLE)('E7: leaves readable: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('E7: masking twice is masking once', () => {
    for (const [, redacted] of TABLE) expect(redact(redacted)).toBe(redacted);
  });

  it('E7: further keys are secret too, without case and whatever they hold', () => {
    const further = createRedactor(['pin', 'x.y(z)', 'kennwort']);
    expect(further('pin=1234 Kennwort: abc x.y(z)=5 password=q')).toBe(
      `pin=${MASK} Kennwort: ${MASK} x.y(z)=${MASK} password=${MASK}`,
    );
    expect(further('xay(z)=5')).toBe('xay(z)=5');
    expect(redact('pin=1234')).toBe('pin=1234');
  });

  it.each([[['']], [[' ']], [[5]], ['pin'], [null]])('E7: refuses the further keys %j', (keys) => {
    expect(() => createRedactor(keys as unknown as string[])).toThrow(
      'redactKeys must be a list of non-empty key names, got',
    );
  });

  it('E7: a long text is cut between words, so that no half of a secret is left', () => {
    const filler = `password=${'x'.repeat(8150)} `;
    const cut = redact(`${filler}postgres://user:hunter2hunter2hunter2@db`);
    expect(cut).toBe(`password=${MASK}`);
    expect(redact(`${'word '.repeat(1638)}ab`)).toHaveLength(8192);
    expect(redact(`${'word '.repeat(1638)}abc`)).toHaveLength(8189);
    expect(redact(`x ${'y'.repeat(9000)}`)).toBe('x');
    expect(redact(` ${'y'.repeat(9000)}`)).toBe(MASK);
    expect(redact('x'.repeat(8192))).toHaveLength(8192);
    expect(redact('x'.repeat(8193))).toBe(MASK);
  });
});

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'.split('');
const plain = (more: string) =>
  fc
    .array(fc.constantFrom(...ALPHABET, ...more.split('')), { minLength: 8, maxLength: 60 })
    // Recognisable, so that finding it again means that it survived.
    .map((letters) => `Zq9${letters.join('')}Zq9`);
const anyText = fc.string({ maxLength: 40, unit: 'binary' }).map((text) => `Zq9${text}Zq9`);

/** Each shape a secret is met in, with the secrets that fit it. */
const SHAPES: readonly (readonly [
  name: string,
  secret: fc.Arbitrary<string>,
  embed: (secret: string) => string,
])[] = [
  [
    'URL',
    plain('@/:?#!$%&*()+,;=.~_-[]{}|\\^`'),
    (s) => `cannot reach postgres://app:${s}@db:5432/x now`,
  ],
  ['URL without user', plain('@/:!-'), (s) => `redis://:${s}@cache`],
  ['DSN', plain('/:!#$%&*=+~-'), (s) => `root:${s}@tcp(db:3306)/orders`],
  ['bearer', plain('-._~+/='), (s) => `sent Bearer ${s} and failed`],
  ['authorization', plain('-._~+/=:'), (s) => `authorization: Custom ${s}`],
  ['header', plain('-._~+/=:!@#$%^*|'), (s) => `x-api-key: ${s}\r\nhost: db`],
  ['cookie', plain('-._~+/=:!'), (s) => `cookie: theme=dark; session=${s}; x=1`],
  ['query', plain('-._~+%'), (s) => `GET /x?a=1&access_token=${s}&b=2 failed`],
  ['libpq', plain('-._~+/=:!@#$%^*|(){}[]<>?\\'), (s) => `host=db password=${s} user=x`],
  [
    'connection string',
    plain('-._~+/=:!@#$%^*|'),
    (s) => `Endpoint=sb://x;SharedAccessKey=${s};Y=1`,
  ],
  ['JSON', anyText, (s) => JSON.stringify({ a: 1, clientSecret: s, b: [2] })],
  [
    'JSON in JSON',
    anyText,
    (s) => JSON.stringify({ body: JSON.stringify({ a: 1, password: s, b: 2 }) }),
  ],
  ['flag', plain('-._~+/=:!@#%^*'), (s) => `Command failed: mysqldump --password ${s} -h db`],
  ['environment', plain('-._~+/=:!@#%^*'), (s) => `DB_PASSWORD=${s} node app.js`],
];

describe('redact any secret', () => {
  it('E7: a password that looks like a key and its value is masked whole', () => {
    expect(redact('redis://:Zq9jwt:aaaaaaaaZq9@cache')).toBe('redis://[redacted]@cache');
    expect(redact('root:Zq9://aaaaaZq9@tcp(db:3306)')).toBe('root:[redacted]@tcp(db:3306)');
    expect(redact('dsn=root:Zq9JWta=a@bZq9@tcp(db)')).toBe('dsn=root:[redacted]@tcp(db)');
  });

  it.each(SHAPES)('E7: no secret survives in a %s', (_name, secrets, embed) => {
    fc.assert(
      fc.property(secrets, fc.string({ maxLength: 20 }), (secret, prefix) => {
        fc.pre(!prefix.includes('Zq9')); // by chance
        const inner = secret.slice(3, -3);
        const redacted = redact(`${prefix.replace(/["'`\\:=-]/g, '')} ${embed(secret)}`);
        expect(redacted).not.toContain('Zq9');
        expect(inner.length >= 8 && redacted.includes(inner)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('E7: AWS-style keys do not survive', () => {
    const upper = fc.array(fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.split('')), {
      minLength: 16,
      maxLength: 16,
    });
    fc.assert(
      fc.property(fc.constantFrom('AKIA', 'ASIA'), upper, (prefix, letters) => {
        const key = prefix + letters.join('');
        expect(redact(`InvalidAccessKeyId: the id ${key} does not exist`)).not.toContain(key);
      }),
    );
  });
});

describe('redaction of what comes again', () => {
  it('E7: looks once at a text without a secret, and each time at one with a secret', () => {
    const fresh = createRedactor();
    const work = vi.spyOn(String.prototype, 'replace');
    const callsOf = (text: string): number => {
      const before = work.mock.calls.length;
      fresh(text);
      return work.mock.calls.length - before;
    };
    try {
      expect(callsOf('check "shop" fails')).toBeGreaterThan(5);
      expect(callsOf('check "shop" fails')).toBe(0);
      expect(callsOf('password=hunter2')).toBeGreaterThan(5);
      expect(callsOf('password=hunter2')).toBeGreaterThan(5);
      // Long texts are not kept.
      for (let time = 0; time < 2; time += 1)
        expect(callsOf('much of it '.repeat(40))).toBeGreaterThan(5);
      for (let index = 0; index < 1000; index += 1) fresh(`check "shop-${index}" fails`);
      // What is remembered is bounded.
      expect(callsOf('check "shop" fails')).toBeGreaterThan(5);
    } finally {
      work.mockRestore();
    }
    expect(fresh('password=hunter2')).toBe(`password=${MASK}`);
  });
});
