import { describe, expect, it } from 'vitest';
import { OptionError } from '../../src/core/errors.js';
import { isLoopback, resolveDiagnostic } from '../../src/core/resolve-diagnostic.js';

const TOKEN = 'a-long-enough-token';
const resolve = (options: object = {}, env = {}) => resolveDiagnostic(options, env);

describe('E4: whom the diagnostic listener answers', () => {
  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost', '::ffff:127.0.0.1'])(
    'takes %s as loopback',
    (host) => {
      expect(isLoopback(host)).toBe(true);
      expect(resolve({ host }).host).toBe(host);
    },
  );

  it.each(['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', 'localhost.example', '1127.0.0.1'])(
    'refuses %s while nothing protects it',
    (host) => {
      expect(isLoopback(host)).toBe(false);
      expect(() => resolve({ host })).toThrow(OptionError);
      expect(() => resolve({}, { HALE_DIAGNOSTIC_HOST: host })).toThrow(
        /HALE_DIAGNOSTIC_HOST .* a loopback address as long as diagnostic\.token/,
      );
    },
  );

  it('takes any address with a token, a client authority, or the word that it may be open', () => {
    const host = '0.0.0.0';
    const tls = { cert: '/c', key: '/k' };
    expect(resolve({ host, token: TOKEN }).tokens).toEqual([TOKEN]);
    expect(resolve({ host, token: [TOKEN, `${TOKEN}2`] }).tokens).toHaveLength(2);
    expect(resolve({ host, tls: { ...tls, clientCa: '/ca' } }).tls?.clientCa).toBe('/ca');
    expect(resolve({ host, unprotected: true }).host).toBe(host);
    // Encrypted is not protected.
    expect(() => resolve({ host, tls })).toThrow('loopback');
    expect(() => resolve({ host, token: [] })).toThrow('loopback');
  });

  it('reads the token of the environment before that of the options', () => {
    const env = { HALE_DIAGNOSTIC_TOKEN: `${TOKEN}-env` };
    expect(resolve({ token: TOKEN }, env).tokens).toEqual([`${TOKEN}-env`]);
    expect(resolve({ token: TOKEN }, { HALE_DIAGNOSTIC_TOKEN: '' }).tokens).toEqual([TOKEN]);
  });

  it.each(['short', 'with space in the middle', 'quoted"quoted"quoted', 7, [TOKEN, 'short']])(
    'refuses the token %j without repeating it',
    (token) => {
      expect(() => resolve({ token })).toThrow(/^diagnostic\.token must be a token of at least 16/);
      expect(() => resolve({ token })).not.toThrow(/quoted|short|middle/);
    },
  );

  it('refuses certificates that are neither PEM nor an absolute path, without repeating them', () => {
    const tls = { cert: '-----BEGIN CERTIFICATE-----\n', key: 'relative-or-secret' };
    expect(() => resolve({ tls })).toThrow(
      'diagnostic.tls.key must be PEM text or the absolute path of a PEM file, got "string"',
    );
    expect(() => resolve({ tls: { key: '/k' } })).toThrow('diagnostic.tls.cert must be');
    expect(() => resolve({ tls: 'on' })).toThrow('diagnostic.tls must be an object');
    expect(() => resolve({ unprotected: 'yes' })).toThrow('diagnostic.unprotected must be true or');
  });
});
