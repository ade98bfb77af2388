/** Where everything listens. */
export interface Addresses {
  readonly app: string;
  /** Empty when the listener is off, as `diagnostic` is. */
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

/** The announcement as one JSON line, for programs: addresses to put a path behind. */
export function readyLine(addresses: Addresses): string {
  return JSON.stringify({ event: 'ready', ...addresses });
}

/** The announcement as a table, for people: its own pages can be opened as they are printed. */
export function readyTable(addresses: Addresses): string {
  const rows = peopleRows(addresses)
    .filter(([, value]) => value !== null)
    .map(([label, value]) => `  ${label.padEnd(18)}${value}`);
  return ['', '  order service: ready', '', ...rows, ''].join('\n');
}

/** Without the relay: it answers the panel's page only. */
function peopleRows(addresses: Addresses): [label: string, value: string | number | null][] {
  const { app, probes, diagnostic, panelRelay } = addresses;
  return [
    ['break it on', panelRelay === null ? null : `${app}/`],
    ['orders', `${app}/orders`],
    ['probes', page(probes, '/readyz')],
    ['diagnostic page', page(diagnostic, '/healthz/status')],
    ['fault proxy', addresses.faultProxy],
    ['database', addresses.database],
    ['mail upstream', addresses.mail],
    ['database process', addresses.databasePid],
    ['process', addresses.pid],
  ];
}

/** `null` for a listener that was turned off. */
function page(base: string, path: string): string | null {
  return base === '' ? null : `${base}${path}`;
}

/** A URL for a bound address; an unspecified address is reachable through loopback. */
export function httpUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return host.includes(':') ? `http://[${host}]:${port}` : `http://${host}:${port}`;
}
