import { describe, expect, it } from 'vitest';
import { defaultTarget, parseTarget, parseUnixTarget } from '../../../src/cli/probe/target.js';

const http = (host: string, port: number, authority: string, path: string, tls = false) => ({
  ok: true,
  target: { kind: 'http', tls, address: { host, port }, authority, path },
});

describe('E6: the target of hale probe', () => {
  it.each([
    ['http://127.0.0.1:9400/livez', http('127.0.0.1', 9400, '127.0.0.1:9400', '/livez')],
    ['http://app/readyz?verbose', http('app', 80, 'app', '/readyz?verbose')],
    ['https://app', http('app', 443, 'app', '/', true)],
    ['http://[::1]:9400/livez', http('::1', 9400, '[::1]:9400', '/livez')],
    ['app:9400', http('app', 9400, 'app:9400', '/readyz')],
    ['[::1]:9400', http('::1', 9400, '[::1]:9400', '/readyz')],
    [
      'tcp://[::1]:5432',
      { ok: true, target: { kind: 'tcp', address: { host: '::1', port: 5432 } } },
    ],
  ])('%s', (text, expected) => {
    expect(parseTarget(text)).toEqual(expected);
  });

  it.each([
    ['grpc://app:1', false, ''],
    ['grpc://app:1/', false, ''],
    ['grpcs://app:1/order%20database', true, 'order database'],
  ])('%s', (text, tls, service) => {
    const address = { host: 'app', port: 1 };
    const target = { kind: 'grpc', tls, address, authority: 'app:1', service };
    expect(parseTarget(text)).toEqual({ ok: true, target });
  });

  it.each([
    'app',
    'grpc://app',
    'grpc://app:1/%zz',
    'ftp://app/',
    'tcp://app',
    'app:port',
    'app:70000',
    '/readyz',
    'http://',
    'a b:1',
  ])('refuses %s', (text) => {
    expect(parseTarget(text)).toMatchObject({ ok: false, problem: expect.any(String) });
  });

  it('refuses a password without repeating it', () => {
    const texts = ['http://user:secret@app/', 'user:secret@app:9400', 'http://user:secret@app:x/'];
    const overUnix = ['ftp://user:secret@app/', 'http://user:secret@app/'];
    const parsed = [
      ...texts.map(parseTarget),
      ...overUnix.map((text) => parseUnixTarget('/a.sock', text)),
    ];
    for (const one of parsed) expect(one).toMatchObject({ ok: false });
    expect(JSON.stringify(parsed)).not.toContain('secret');
  });

  it('asks the hale of this machine by default', () => {
    const expected = (port: number) => http('127.0.0.1', port, `127.0.0.1:${port}`, '/readyz');
    expect(defaultTarget(undefined)).toEqual(expected(9400));
    expect(defaultTarget(' ')).toEqual(expected(9400));
    expect(defaultTarget('8081')).toEqual(expected(8081));
    for (const port of ['0', 'x', '70000', '1.5'])
      expect(defaultTarget(port)).toMatchObject({ ok: false });
  });

  it('looks at a file', () => {
    const at = (path: string) => ({ ok: true, target: { kind: 'file', address: { path } } });
    expect(parseTarget('file:///run/orders/ready')).toEqual(at('/run/orders/ready'));
    expect(parseTarget('file:///run/order%20cache')).toEqual(at('/run/order cache'));
    for (const text of ['file://run/ready', 'file:///', 'file:///%zz'])
      expect(parseTarget(text)).toMatchObject({ ok: false });
  });

  it('asks over a Unix socket', () => {
    const at = (path: string, authority = 'localhost') => ({
      ok: true,
      target: { kind: 'http', tls: false, address: { path: '/run/app.sock' }, authority, path },
    });
    expect(parseUnixTarget('/run/app.sock')).toEqual(at('/readyz'));
    expect(parseUnixTarget('/run/app.sock', '/livez')).toEqual(at('/livez'));
    expect(parseUnixTarget('/run/app.sock', 'http://app/livez')).toEqual(at('/livez', 'app'));
    expect(parseUnixTarget('/run/app.sock', 'tcp://app:1')).toMatchObject({ ok: false });
  });
});
