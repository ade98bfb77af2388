import { OptionError } from '../../core/errors.js';

/** A URL that names a store of leases, in parts. */
export interface LeaseUrl {
  /** In lower case, without the colon. */
  readonly scheme: string;
  /** What follows the colon, without the parameters below. */
  readonly rest: string;
  /** The parameter that is hale's; the others are the client's. */
  readonly own?: string;
}

/** Servers that are asked over HTTP. */
export interface HttpServers {
  /** One URL for each host, without credentials. */
  readonly urls: readonly string[];
  readonly user?: { readonly name: string; readonly password: string };
}

/** Parameters that are hale's; every scheme has one of them at most. */
const OWN = ['table', 'prefix', 'bucket'] as const;

/** The name of the parameter of each scheme. */
export type OwnParameters = Readonly<Record<string, (typeof OWN)[number] | undefined>>;

/**
 * Takes a URL apart.
 * @throws OptionError without the URL in its text: it may hold a password
 */
export function parseLeaseUrl(url: unknown, own: OwnParameters): LeaseUrl {
  const text = typeof url === 'string' ? url : '';
  const [, given = '', rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(text) ?? [];
  const scheme = given.toLowerCase();
  if (!Object.hasOwn(own, scheme))
    throw new OptionError('leaseUrl', accepted(Object.keys(own)), got(url, scheme));
  const [before, query] = split(rest, '?');
  if (query === undefined) return { scheme, rest };
  const parameters = new URLSearchParams(query);
  const name = own[scheme];
  const value = name === undefined ? null : parameters.get(name);
  if (name !== undefined) parameters.delete(name);
  const foreign = OWN.find((each) => parameters.has(each));
  if (foreign !== undefined)
    throw new OptionError('leaseUrl', `${scheme}: without ${foreign}=`, foreign);
  const left = parameters.toString();
  return {
    scheme,
    rest: left === '' ? before : `${before}?${left}`,
    ...(value === null ? {} : { own: value }),
  };
}

function accepted(schemes: readonly string[]): string {
  return `a URL that begins with ${schemes.map((scheme) => `${scheme}:`).join(', ')}`;
}

function got(url: unknown, scheme: string): unknown {
  return typeof url === 'string' ? (scheme === '' ? 'no scheme' : `${scheme}:`) : url;
}

/** The hosts of `//user:password@one:1,two:2/path`. @throws OptionError when they are none */
export function hostsOf({ scheme, rest }: LeaseUrl): {
  readonly hosts: readonly string[];
  readonly path: string;
  readonly user?: { readonly name: string; readonly password: string };
} {
  const [, authority = '', path = ''] = /^\/\/([^/?#]*)([^?#]*)/.exec(rest) ?? [];
  const at = authority.lastIndexOf('@');
  const hosts = authority.slice(at + 1).split(',');
  if (!hosts.every((host) => host !== '' && URL.canParse(`http://${host}`)))
    throw new OptionError('leaseUrl', `${scheme}://host:port, or several with commas`, 'others');
  if (at === -1) return { hosts, path };
  const [name, password = ''] = split(authority.slice(0, at), ':');
  return { hosts, path, user: { name: decoded(name), password: decoded(password) } };
}

/** The servers behind `etcd+https://…` and the like. @throws OptionError when they are none */
export function httpServersOf(url: LeaseUrl): HttpServers {
  const protocol = url.scheme.slice(url.scheme.indexOf('+') + 1);
  const { hosts, path, user } = hostsOf(url);
  const urls = hosts.map((host) => `${protocol}://${host}${path}`);
  return user === undefined ? { urls } : { urls, user };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function split(text: string, at: string): [string, string?] {
  const index = text.indexOf(at);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

/** The prefix a URL asks for, as an option. */
export function prefixOf({ own }: LeaseUrl): { prefix?: string } {
  return own === undefined ? {} : { prefix: own };
}
