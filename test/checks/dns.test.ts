import { describe, expect, it } from 'vitest';
import { type DnsRecordsOptions, dnsRecords } from '../../src/checks/dns.js';

describe('dnsRecords', () => {
  it.each([
    [{ resolver: [] }, /dnsRecords.resolver must be "system" or addresses of name servers/],
    [{ resolver: ['ns.example'] }, /dnsRecords.resolver must be .*, got "ns.example"/],
    [{ resolver: '10.0.0.2' as never }, /dnsRecords.resolver must be a list of texts/],
    [{ type: 'MX' }, /dnsRecords.type must be "A" or "AAAA" with the system resolver, got "MX"/],
    [{ type: 'PTR' as 'MX' }, /dnsRecords.type must be one of "A", "AAAA"/],
    [{ expected: '10.0.0.7' as never }, /dnsRecords.expected must be a list of texts/],
  ] satisfies [DnsRecordsOptions, RegExp][])('names the bad option in %j', (options, message) => {
    expect(() => dnsRecords('db.internal', options)).toThrow(message);
  });

  it('needs a name, and is degraded unless told otherwise', () => {
    expect(() => dnsRecords('')).toThrow(/dnsRecords.name must be a text/);
    expect(dnsRecords('db.internal').impact).toBe('degraded');
  });
});
