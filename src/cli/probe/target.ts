/** Where to connect, as `net.connect` takes it. */
export type Address = { readonly host: string; readonly port: number } | { readonly path: string };

/** What is asked, and how. */
export type ProbeTarget =
  | {
      readonly kind: 'http';
      readonly tls: boolean;
      readonly address: Address;
      /** Value of the `Host` header. */
      readonly authority: string;
      readonly path: string;
    }
  | { readonly kind: 'tcp'; readonly address: Address }
  | { readonly kind: 'file'; readonly address: { readonly path: string } }
  | {
      readonly kind: 'grpc';
      readonly tls: boolean;
      readonly address: Address;
      readonly authority: string;
      /** Empty for the whole server. */
      readonly service: string;
    };

export type ParsedTarget =
  | { readonly ok: true; readonly target: ProbeTarget }
  | { readonly ok: false; readonly problem: string };

const DEFAULT_PORT = 9400;
const READINESS = '/readyz';
const HTTP_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const NO_CREDENTIALS = 'a target holds no user name';
const ACCEPTED =
  'http://, https://, tcp://, grpc:// or grpcs:// with a host, file:// with a path, or host:port';

/**
 * The target when none is given: readiness of the hale on this machine.
 * @param port value of `HALE_PORT`; absent or empty is hale's default
 */
export function defaultTarget(port: string | undefined): ParsedTarget {
  const text = port?.trim() ?? '';
  const number = text === '' ? DEFAULT_PORT : Number(text);
  if (Number.isInteger(number) && number > 0 && number <= 65_535)
    return parseTarget(`http://127.0.0.1:${number}${READINESS}`);
  return problem(`HALE_PORT must be a port from 1 to 65535, got "${text}"; or name a target`);
}

/**
 * Reads a URL or `host:port`. The latter asks readiness: to connect only would pass whatever hale says, so it must be
 * asked for with `tcp://`.
 */
export function parseTarget(text: string): ParsedTarget {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  if (!hasScheme && /[/?#@]/.test(text)) return problem(`"${shown(text)}" is not ${ACCEPTED}`);
  const url = urlOf(hasScheme ? text : `http://${text}${READINESS}`);
  // Without a scheme the port tells a host from a word that was meant as something else.
  if (url === undefined || (!hasScheme && !/:\d+$/.test(text)))
    return problem(`"${shown(text)}" is not ${ACCEPTED}`);
  return targetOf(url, text);
}

/** Reads the target of `--unix`: a path or an http URL, whose host then only names the `Host` header. */
export function parseUnixTarget(socketPath: string, text = READINESS): ParsedTarget {
  const url = urlOf(text.startsWith('/') ? `http://localhost${text}` : text);
  if (url?.protocol !== 'http:')
    return problem(
      `--unix goes with a path such as ${READINESS} or an http:// URL, got "${shown(text)}"`,
    );
  if (hasCredentials(url)) return problem(NO_CREDENTIALS);
  return httpTarget(url, { path: socketPath });
}

function targetOf(url: URL, text: string): ParsedTarget {
  if (hasCredentials(url)) return problem(NO_CREDENTIALS);
  if (url.protocol === 'file:') return fileTarget(url, text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const defaultPort = HTTP_PORTS[url.protocol];
  if (defaultPort !== undefined)
    return httpTarget(url, { host, port: url.port === '' ? defaultPort : Number(url.port) });
  if (!['tcp:', 'grpc:', 'grpcs:'].includes(url.protocol))
    return problem(`"${shown(text)}" is not ${ACCEPTED}`);
  const address = { host, port: Number(url.port) };
  if (host === '' || address.port === 0) return problem(`"${shown(text)}" needs a host and a port`);
  return url.protocol === 'tcp:'
    ? { ok: true, target: { kind: 'tcp', address } }
    : grpcTarget(url, address);
}

function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

function fileTarget({ host, pathname }: URL, text: string): ParsedTarget {
  // A host would be another machine's, whose files cannot be asked for.
  if (host !== '' || pathname === '/')
    return problem(`"${text}" needs an absolute path, as file:///run/ready`);
  try {
    return { ok: true, target: { kind: 'file', address: { path: decodeURIComponent(pathname) } } };
  } catch {
    return problem(`"${pathname}" is not an encoded path`);
  }
}

function grpcTarget(url: URL, address: Address): ParsedTarget {
  const tls = url.protocol === 'grpcs:';
  try {
    const service = decodeURIComponent(url.pathname.slice(1));
    return { ok: true, target: { kind: 'grpc', tls, address, authority: url.host, service } };
  } catch {
    return problem(`"${url.pathname}" is not an encoded service name`);
  }
}

function httpTarget(url: URL, address: Address): ParsedTarget {
  return {
    ok: true,
    target: {
      kind: 'http',
      tls: url.protocol === 'https:',
      address,
      authority: url.host,
      path: url.pathname + url.search,
    },
  };
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** A URL for texts: what stands before an @, or in a query or fragment, may be a secret. */
export function shown(text: string): string {
  return text.replace(/^.*@/s, '***@').replace(/([?#]).*$/s, '$1***');
}

function problem(text: string): ParsedTarget {
  return { ok: false, problem: text };
}
