import { parseArgs } from 'node:util';

/** What `hale fleet` is asked to do. */
export interface FleetCall {
  readonly url: string;
  readonly prefix: string;
  /** Goes on until it is ended. */
  readonly watch: boolean;
  readonly json: boolean;
  /** The port of the page, if there is to be one. */
  readonly page?: number;
  /** How many must be up. */
  readonly expect: number;
  /** For the first answer of the registry. */
  readonly timeoutMs: number;
}

export type FleetArguments =
  | { readonly kind: 'run'; readonly call: FleetCall }
  | { readonly kind: 'help' }
  | { readonly kind: 'usage'; readonly problem: string };

export const FLEET_USAGE = `usage: hale fleet [<url>] [--prefix <text>] [--watch] [--json] [--page [<port>]] [--expect <n>]

Shows the instances that keep a lease: who is up, suspect or down, and what each says of itself.
Exit code 0: all are up, 1: one is not, or too few are up, 2: not understood, or the registry does not answer.

  <url>             of the registry: postgres://, redis://, etcd+http://, nats://, zookeeper://, consul+http://,
                    kubernetes:<namespace>, sqlite:<file>; HALE_LEASE_URL by default, which no list of processes shows
  --prefix <text>   only leases whose names begin with this
  --watch           until Ctrl+C: drawn anew every second on a terminal, otherwise a line for each event
  --json            as JSON; with --watch a line for each event
  --page [<port>]   a page on http://127.0.0.1:<port>, 9402 by default, until Ctrl+C
  --expect <n>      how many must be up, 1 by default
  --timeout <ms>    for the first answer, 5000 by default

The client package of the registry is taken from the folder this is started in. NO_COLOR turns colours off.
`;

const PAGE_PORT = 9402;
const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  watch: { type: 'boolean', short: 'w' },
  json: { type: 'boolean' },
  prefix: { type: 'string' },
  page: { type: 'string' },
  expect: { type: 'string' },
  timeout: { type: 'string' },
} as const;

/** Reads the arguments of `hale fleet`. */
export function parseFleetArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): FleetArguments {
  try {
    const { values, positionals } = parseArgs({
      ...{ args: withPagePort(args), options: OPTIONS, allowPositionals: true },
    });
    if (values.help === true) return { kind: 'help' };
    const [url = env['HALE_LEASE_URL'] ?? '', more] = positionals;
    if (more !== undefined) return { kind: 'usage', problem: 'one URL only' };
    if (url === '') return { kind: 'usage', problem: 'a URL is needed, or HALE_LEASE_URL' };
    const { watch = false, json = false, prefix = '', page } = values;
    const call: FleetCall = {
      ...{ url, prefix, watch, json },
      expect: wholeNumber('--expect', values.expect ?? '1', [0, 1_000_000]),
      timeoutMs: wholeNumber('--timeout', values.timeout ?? '5000', [1, 600_000]),
      ...(page === undefined ? {} : { page: wholeNumber('--page', page, [0, 65_535]) }),
    };
    return { kind: 'run', call };
  } catch (error) {
    return { kind: 'usage', problem: (error as Error).message };
  }
}

/** A port is optional after `--page`, which no option parser knows. */
function withPagePort(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    if (arg === '--page') return /^\d+$/.test(args[index + 1] ?? '') ? [] : [`--page=${PAGE_PORT}`];
    return args[index - 1] === '--page' && /^\d+$/.test(arg) ? [`--page=${arg}`] : [arg];
  });
}

/** @throws Error when it is none, or out of range. */
function wholeNumber(option: string, text: string, [min, max]: readonly [number, number]): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : -1;
  if (value >= min && value <= max) return value;
  throw new Error(`${option} must be a whole number from ${min} to ${max}, got "${text}"`);
}
