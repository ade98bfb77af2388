import { Resolver, lookup } from 'node:dns/promises';
import { untilAborted } from '../core/abort.js';
import type { Check, CheckOptions, CheckResult } from '../core/check.js';
import { OptionError } from '../core/errors.js';
import { createSingleFlight } from '../core/single-flight.js';
import { choiceOption, textOption, textsOption } from '../core/validate.js';

/** Kinds of records that {@link dnsRecords} asks for. */
export type DnsRecordType = (typeof RECORD_TYPES)[number];

const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'SRV', 'TXT'] as const;

/** Options of {@link dnsRecords}. */
export interface DnsRecordsOptions extends CheckOptions {
  /**
   * `'system'` asks as the rest of the program does (`getaddrinfo`: hosts file, search domains, the system's cache), for
   * addresses only. A list of addresses, with or without a port, asks these name servers.
   * @defaultValue 'system'
   */
  resolver?: 'system' | readonly string[];
  /** @defaultValue 'A' with name servers, addresses of both families with `'system'` */
  type?: DnsRecordType;
  /** Records that must be among the answers, such as `10.0.0.7`, or `10 mail.example` for MX. */
  expected?: readonly string[];
}

/** Observed values hold at most this many records. */
const MAX_SHOWN = 16;

type Resolve = (signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Resolves a name.
 *
 * - pass: there are records of the type, and the expected ones are among them.
 * - warn: never.
 * - fail: the name has no such records, an expected one is missing (`record_missing`), the resolver answered with an
 *   error, or not before the timeout.
 *
 * Suggested impact: `optional` or `degraded`: what needs the name has a check of its own. Cost: one query per run to the
 * name servers; with `'system'` one thread of the pool until it answers, never more than one.
 * @throws OptionError (`HALE_OPTION_INVALID`) for an option out of range
 */
export function dnsRecords(name: string, options: DnsRecordsOptions = {}): Check {
  const { resolver = 'system', type, expected = [], ...checkOptions } = options;
  textOption('dnsRecords.name', name);
  textsOption('dnsRecords.expected', expected);
  if (type !== undefined) choiceOption('dnsRecords.type', type, RECORD_TYPES);
  const resolve =
    resolver === 'system' ? systemResolve(name, type) : serverResolve(name, type ?? 'A', resolver);
  return {
    componentType: 'component',
    measurement: 'records',
    impact: 'degraded',
    ...checkOptions,
    run: async (signal) => judge(name, await resolve(signal), expected),
  };
}

function systemResolve(name: string, type: DnsRecordType | undefined): Resolve {
  if (type !== undefined && type !== 'A' && type !== 'AAAA') {
    throw new OptionError('dnsRecords.type', '"A" or "AAAA" with the system resolver', type);
  }
  const family = type === undefined ? 0 : type === 'A' ? 4 : 6;
  // getaddrinfo cannot be cut short.
  const ask = createSingleFlight(() => lookup(name, { all: true, family }));
  return async (signal) => {
    signal.throwIfAborted();
    const found = await untilAborted(ask(), signal, () => noAnswer(name, signal));
    return found.map(({ address }) => address);
  };
}

function serverResolve(name: string, type: DnsRecordType, servers: unknown): Resolve {
  const resolver = createResolver(servers);
  return async (signal) => {
    signal.throwIfAborted();
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await untilAborted(query(resolver, name, type), signal, () => noAnswer(name, signal));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

function createResolver(servers: unknown): Resolver {
  const list = textsOption('dnsRecords.resolver', servers);
  // One try: repeating is the business of the next run.
  const resolver = new Resolver({ tries: 1 });
  try {
    if (list.length > 0) {
      resolver.setServers(list);
      return resolver;
    }
  } catch {
    // Said below, as for any other list.
  }
  const accepted = '"system" or addresses of name servers, such as "10.0.0.2" or "10.0.0.2:5353"';
  throw new OptionError('dnsRecords.resolver', accepted, list.join(', '));
}

async function query(
  resolver: Resolver,
  name: string,
  type: DnsRecordType,
): Promise<readonly string[]> {
  switch (type) {
    case 'A':
      return resolver.resolve4(name);
    case 'AAAA':
      return resolver.resolve6(name);
    case 'CNAME':
      return resolver.resolveCname(name);
    case 'NS':
      return resolver.resolveNs(name);
    case 'TXT':
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    case 'MX':
      return (await resolver.resolveMx(name)).map((mx) => `${mx.priority} ${mx.exchange}`);
    case 'SRV':
      return (await resolver.resolveSrv(name)).map(
        (srv) => `${srv.priority} ${srv.weight} ${srv.port} ${srv.name}`,
      );
  }
}

function noAnswer(name: string, signal: AbortSignal): Error {
  return new Error(`no answer for ${name}`, { cause: signal.reason });
}

function judge(name: string, found: readonly string[], expected: readonly string[]): CheckResult {
  const observedValue = found.slice(0, MAX_SHOWN);
  const missing = expected.filter((record) => !found.includes(record));
  if (found.length > 0 && missing.length === 0) return { status: 'pass', observedValue };
  const output = `${name} has no ${missing[0] ?? 'records'}`;
  return { status: 'fail', code: 'record_missing', output, observedValue };
}
