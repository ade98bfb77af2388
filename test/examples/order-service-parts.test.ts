import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUnitFramer } from '../../examples/order-service/src/database/unit-framer.js';
import {
  choiceParameter,
  msParameter,
} from '../../examples/order-service/src/faults/parameters.js';
import { escapeHtml } from '../../examples/order-service/src/panel/page.js';
import {
  contentSecurityPolicy,
  relayOrigin,
} from '../../examples/order-service/src/panel/panel-routes.js';
import { parseProbeAnswer } from '../../examples/order-service/src/panel/probe-answer.js';
import { httpUrl, readyLine, readyTable } from '../../examples/order-service/src/ready.js';
import { readSettings } from '../../examples/order-service/src/settings.js';

function message(type: string, body: string): Buffer {
  const bytes = Buffer.alloc(5 + body.length);
  bytes.write(type, 0);
  bytes.writeInt32BE(4 + body.length, 1);
  bytes.write(body, 5);
  return bytes;
}

function untyped(code: number, body = ''): Buffer {
  const bytes = Buffer.alloc(8 + body.length);
  bytes.writeInt32BE(8 + body.length, 0);
  bytes.writeInt32BE(code, 4);
  bytes.write(body, 8);
  return bytes;
}

const STARTUP = untyped(196_608, 'user\0postgres\0database\0postgres\0\0');
const EXTENDED = ['P', 'B', 'D', 'E'].map((type) => message(type, 'x\0'));
const SYNC = message('S', '');
const QUERY = message('Q', 'select 1\0');
const NOTHING = Buffer.alloc(0);

describe('the framer in front of the embedded database', () => {
  it('starts every client with the one database there is, encryption refused', () => {
    const framer = createUnitFramer();
    for (const request of [80_877_103, 80_877_104]) {
      expect(framer.take(untyped(request))).toEqual({ units: NOTHING, refusals: 1 });
    }
    const other = untyped(196_608, 'user\0me\0database\0mine\0\0');
    expect(framer.take(other)).toEqual({ units: STARTUP, refusals: 0 });
    expect(framer.take(QUERY)).toEqual({ units: QUERY, refusals: 0 });
  });

  it('keeps an extended query until its sync has come', () => {
    const framer = createUnitFramer();
    framer.take(STARTUP);
    for (const part of EXTENDED) expect(framer.take(part).units).toEqual(NOTHING);
    expect(framer.take(SYNC).units).toEqual(Buffer.concat([...EXTENDED, SYNC]));
  });

  it('passes the same bytes in the same units however they are cut', () => {
    const units = [STARTUP, QUERY, Buffer.concat([...EXTENDED, SYNC]), QUERY];
    const all = Buffer.concat(units);
    const ends = units.map((_, index) => Buffer.concat(units.slice(0, index + 1)).length);
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: all.length - 1 }));
    fc.assert(
      fc.property(cuts, (places) => {
        const framer = createUnitFramer();
        const borders = [0, ...places.toSorted((a, b) => a - b), all.length];
        let passed = NOTHING;
        for (let index = 1; index < borders.length; index += 1) {
          const chunk = all.subarray(borders[index - 1], borders[index]);
          passed = Buffer.concat([passed, framer.take(chunk).units]);
          expect([0, ...ends]).toContain(passed.length);
        }
        expect(passed).toEqual(all);
      }),
    );
  });

  it('refuses what would be fatal for the session that all clients share', () => {
    for (const bytes of ['GET / HTTP/1.1\r\n\r\n', untyped(131_072), untyped(0)]) {
      expect(() => createUnitFramer().take(Buffer.from(bytes))).toThrow(RangeError);
    }
    const started = createUnitFramer();
    started.take(STARTUP);
    expect(() => started.take(message('!', ''))).toThrow('got 33');
  });
});

describe('the settings', () => {
  const read = (env: Record<string, string>) => readSettings(env, { host: '127.0.0.1' });

  it('R10: has a floor only for copies that share a registry', () => {
    const shared = { FLOOR: '0.5', INSTANCES: '4', LEASE_URL: 'redis://127.0.0.1' };
    expect(read({}).floor).toBe(undefined);
    expect(read(shared).floor).toEqual({ floor: 0.5, instances: 4 });
    expect(() => read({ ...shared, FLOOR: '2' })).toThrow('FLOOR must be a share from 0 to 1');
    expect(() => read({ ...shared, INSTANCES: '' })).toThrow(/^INSTANCES must be/);
    expect(() => read({ ...shared, LEASE_URL: '' })).toThrow(/^LEASE_URL must be set/);
  });

  it('have the documented defaults', () => {
    expect(read({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      probePort: 9400,
      diagnosticPort: 9401,
      relayPort: 0,
      databaseUrl: undefined,
      mailUrl: undefined,
      lease: { url: undefined, name: 'orders', ttlMs: undefined },
      faults: false,
    });
  });

  it('name the variable and never repeat a URL that may hold a password', () => {
    expect(() => read({ PORT: '8o8o' })).toThrow('PORT must be a port from 0 to 65535, got "8o8o"');
    expect(() => read({ HALE_PORT: '65536' })).toThrow(/HALE_PORT .* got "65536"/);
    for (const ttl of ['999', '3600001', 'long'])
      expect(() => read({ LEASE_TTL_MS: ttl })).toThrow('LEASE_TTL_MS must be a number from 1000');
    expect(() => read({ DATABASE_URL: 'u:hunter2@h' })).toThrow(/^(?!.*hunter2).*DATABASE_URL/);
    expect(() => read({ MAIL_URL: 'ftp://u:hunter2@h' })).toThrow(/^(?!.*hunter2).*MAIL_URL/);
  });

  it('turn faults on for exactly 1', () => {
    expect(read({ HALE_DEMO_FAULTS: '1' }).faults).toBe(true);
    expect(read({ HALE_DEMO_FAULTS: 'true' }).faults).toBe(false);
  });
});

describe('the fault parameters', () => {
  it('accept the whole range of ms and nothing else', () => {
    expect(msParameter(undefined)).toBeUndefined();
    expect(msParameter('1')).toBe(1);
    expect(msParameter('120000')).toBe(120_000);
    for (const bad of ['', '0', '-1', '1.5', '1e3', '120001', ' 5', ['1', '2']]) {
      expect(() => msParameter(bad)).toThrow(/ms must be a whole number from 1 to 120000, got/);
    }
  });

  it('accept the words and nothing else', () => {
    expect(choiceParameter('mode', 'ok', ['ok', 'down'])).toBe('ok');
    expect(() => choiceParameter('mode', ['ok', 'ok'], ['ok'])).toThrow('got ["ok","ok"]');
  });
});

describe('the panel', () => {
  it('reaches the relay by the name that reached the application', () => {
    expect(relayOrigin('localhost:8080', 7)).toBe('http://localhost:7');
    expect(relayOrigin('[::1]:8080', 7)).toBe('http://[::1]:7');
    expect(relayOrigin('10.0.0.3', 7)).toBe('http://10.0.0.3:7');
  });

  it('lets no host header into its policy that is more than a name', () => {
    for (const bad of [undefined, '', "x; script-src 'unsafe-inline'", 'a b', '"><script>']) {
      expect(contentSecurityPolicy(relayOrigin(bad, 7))).toContain(
        "connect-src 'self' http://127.0.0.1:7;",
      );
    }
  });

  it('escapes text', () => {
    expect(escapeHtml(`<a b="&">`)).toBe('&lt;a b=&quot;&amp;&quot;&gt;');
  });

  it('reads a probe that answers, answers oddly, or does not answer', () => {
    const body = '{"status":"fail","reason":"draining"}';
    expect(parseProbeAnswer('readiness', 503, body, 1.23)).toEqual({
      probe: 'readiness',
      code: 503,
      status: 'fail',
      reason: 'draining',
      tookMs: 1.2,
    });
    expect(parseProbeAnswer('liveness', 200, 'ok', 1)).toMatchObject({
      status: 'pass',
      reason: '',
    });
    expect(parseProbeAnswer('liveness', 500, 'null', 1)).toMatchObject({ status: 'fail' });
    expect(parseProbeAnswer('startup', undefined, '', 9)).toMatchObject({
      code: null,
      status: 'no answer',
    });
  });
});

describe('the announcement', () => {
  const addresses = {
    app: 'http://127.0.0.1:8080',
    probes: 'http://127.0.0.1:9400',
    diagnostic: 'http://127.0.0.1:9401',
    faultProxy: null,
    database: 'db:5432',
    mail: 'http://127.0.0.1:1/',
    panelRelay: null,
    databasePid: null,
    pid: 42,
  };

  it('is one JSON line for programs and a table of what there is for people', () => {
    expect(JSON.parse(readyLine(addresses))).toEqual({ event: 'ready', ...addresses });
    expect(readyLine(addresses)).not.toContain('\n');
    expect(readyTable(addresses)).toMatch(/orders +http:\/\/127\.0\.0\.1:8080\/orders$/m);
    expect(readyTable(addresses)).not.toMatch(/null|fault proxy|break it/);
  });

  it('shows people pages they can open, and none of a listener that is off', () => {
    const panelRelay = 'http://127.0.0.1:4444';
    const shown = (change: object) => readyTable({ ...addresses, panelRelay, ...change });
    expect(shown({}).match(/http\S+/g)).toEqual([
      'http://127.0.0.1:8080/',
      'http://127.0.0.1:8080/orders',
      'http://127.0.0.1:9400/readyz',
      'http://127.0.0.1:9401/healthz/status',
      'http://127.0.0.1:1/',
    ]);
    expect(shown({ probes: '', diagnostic: '' })).not.toMatch(/probes|diagnostic/);
  });

  it('shows an address that can be reached', () => {
    expect(httpUrl('0.0.0.0', 1)).toBe('http://127.0.0.1:1');
    expect(httpUrl('::', 1)).toBe('http://127.0.0.1:1');
    expect(httpUrl('::1', 1)).toBe('http://[::1]:1');
  });
});
