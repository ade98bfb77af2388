/** Where everything listens. */
export interface Addresses {
  readonly app: string;
  readonly probes: string;
  readonly diagnostic: string;
  readonly faultProxy: string | null;
  readonly database: string;
  readonly mail: string;
  readonly panelRelay: string | null;
  /** Process id of the embedded database, `null` with a database of your own. */
  readonly databasePid: number | null;
  readonly pid: number;
}

const LABELS: Readonly<Record<keyof Addresses, string>> = {
  app: 'application',
  probes: 'probes',
  diagnostic: 'diagnostic page',
  faultProxy: 'fault proxy',
  database: 'database',
  mail: 'mail upstream',
  panelRelay: 'panel relay',
  databasePid: 'database process',
  pid: 'process',
};

/** The announcement as one JSON line, for programs. */
export function readyLine(addresses: Addresses): string {
  return JSON.stringify({ event: 'ready', ...addresses });
}

/** The announcement as a table, for people. */
export function readyTable(addresses: Addresses): string {
  const rows = (Object.keys(LABELS) as (keyof Addresses)[])
    .filter((key) => addresses[key] !== null)
    .map((key) => `  ${LABELS[key].padEnd(18)}${addresses[key]}`);
  const hint = addresses.panelRelay === null ? [] : ['', `  Break it on ${addresses.app}/`];
  return ['', '  order service: ready', '', ...rows, ...hint, ''].join('\n');
}

/** A URL for a bound address; an unspecified address is reachable through loopback. */
export function httpUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return host.includes(':') ? `http://[${host}]:${port}` : `http://${host}:${port}`;
}
