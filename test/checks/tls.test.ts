import { describe, expect, it } from 'vitest';
import {
  type TlsAddress,
  type TlsCertificateOptions,
  tlsCertificate,
} from '../../src/checks/tls.js';
import { certificateTime } from '../../src/core/certificate-time.js';

describe('tlsCertificate', () => {
  it.each([
    [{ host: '' }, {}, /tlsCertificate.address.host must be a text/],
    [{ host: 'a', port: 70_000 }, {}, /tlsCertificate.address.port must be .* to 65535/],
    [{ host: 'a', servername: '' }, {}, /tlsCertificate.address.servername must be a text/],
    [{ host: 'a' }, { warnDays: -1 }, /tlsCertificate.warnDays must be a number from 0/],
    [{ host: 'a' }, { warnDays: 5, failDays: 6 }, /tlsCertificate.failDays must be at most/],
    [{ host: 'a' }, { allowSelfSigned: 'no' as never }, /allowSelfSigned must be true or false/],
  ] satisfies [TlsAddress, TlsCertificateOptions, RegExp][])(
    'names the bad option in %j, %j',
    (address, options, message) => {
      expect(() => tlsCertificate(address, options)).toThrow(message);
    },
  );

  it('refuses to run before its start', async () => {
    const { run } = tlsCertificate({ host: '127.0.0.1' });
    await expect(run(new AbortController().signal)).rejects.toThrow(/only after its start/);
  });

  it('reads times as OpenSSL prints them', () => {
    expect(certificateTime('Nov 30 04:16:23 2026 GMT')).toBe(1_796_012_183_000);
    expect(certificateTime('Jan  1 00:00:00 1970 GMT')).toBe(0);
    expect(certificateTime('no time')).toBeNaN();
  });
});
