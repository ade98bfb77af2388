import { parseArgs } from 'node:util';
import { STATUS_PATH } from '../../core/path-sets.js';

/** What `hale status` is asked to do. */
export interface StatusCall {
  readonly url: URL;
  /** Redraws every second until it is ended. */
  readonly watch: boolean;
  /** Prints the document itself. */
  readonly json: boolean;
  readonly timeoutMs: number;
  /** Sent as a bearer token. */
  readonly token?: string;
  readonly tls: StatusTls;
}

/** Files for TLS, and whether any certificate is taken. */
export interface StatusTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly insecure: boolean;
}

export type StatusArguments =
  | { readonly kind: 'run'; readonly call: StatusCall }
  | { readonly kind: 'help' }
  | { readonly kind: 'usage'; readonly problem: string };

export const STATUS_USAGE = `usage: hale status [<url>] [--watch] [--json] [--timeout <ms>]

Shows the health of one process: its probes and why they say so, its checks, the process, what changed last.
Exit code 0: pass or warn, 1: fail, 2: not understood or no answer.

  <url>               of the diagnostic listener; http://127.0.0.1:$HALE_DIAGNOSTIC_PORT by default, port 9401
  --watch             again every second, until Ctrl+C
  --json              the document itself
  --timeout <ms>      for one answer, 5000 by default
  --ca, --cert, --key files in PEM for https
  --insecure          takes any certificate

A bearer token is taken from HALE_DIAGNOSTIC_TOKEN. NO_COLOR turns colours off.
`;

const TIMEOUT_MS = 5000;
const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  watch: { type: 'boolean', short: 'w' },
  json: { type: 'boolean' },
  insecure: { type: 'boolean' },
  timeout: { type: 'string' },
  ca: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
} as const;

/** Reads the arguments of `hale status`. */
export function parseStatusArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): StatusArguments {
  try {
    const { values, positionals } = parseArgs({
      ...{ args: [...args], options: OPTIONS, allowPositionals: true },
    });
    if (values.help === true) return { kind: 'help' };
    const [target, more] = positionals;
    if (more !== undefined) return { kind: 'usage', problem: 'one URL only' };
    const url = urlOf(target ?? defaultTarget(env));
    const timeoutMs = timeoutOf(values.timeout);
    const { watch = false, json = false, insecure = false, ca, cert, key } = values;
    const token = env['HALE_DIAGNOSTIC_TOKEN'];
    const tls = { insecure, ...given({ ca, cert, key }) };
    return {
      kind: 'run',
      call: {
        url,
        watch,
        json,
        timeoutMs,
        tls,
        ...given({ token: token === '' ? undefined : token }),
      },
    };
  } catch (error) {
    return { kind: 'usage', problem: (error as Error).message };
  }
}

function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function defaultTarget(env: Readonly<Record<string, string | undefined>>): string {
  return `http://127.0.0.1:${env['HALE_DIAGNOSTIC_PORT'] ?? '9401'}`;
}

/** @throws Error when it is no http or https URL. */
function urlOf(text: string): URL {
  const full = /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Error('the URL must be an http or https URL, or host:port');
  if (url.username !== '' || url.password !== '')
    throw new Error('the URL must have no credentials: others can read command lines');
  if (url.pathname === '/') url.pathname = STATUS_PATH;
  return url;
}

/** @throws Error when it is out of range. */
function timeoutOf(text: string | undefined): number {
  if (text === undefined) return TIMEOUT_MS;
  const ms = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (ms >= 1 && ms <= 600_000) return ms;
  throw new Error(`--timeout must be whole milliseconds from 1 to 600000, got "${text}"`);
}
