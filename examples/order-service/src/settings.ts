/** Who this copy wants to be, and where that is agreed. */
export interface LeaseSettings {
  /** Absent: the default of the entry point. */
  readonly url: string | undefined;
  readonly name: string;
  readonly ttlMs: number | undefined;
}

/** How many copies stay in rotation when what all of them need is down. */
export interface FloorSettings {
  /** Share that stays, from 0 to 1. */
  readonly floor: number;
  /** How many copies there are. */
  readonly instances: number;
}

/** Everything the environment decides, read once. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly probePort: number;
  readonly diagnosticPort: number;
  readonly relayPort: number;
  /** Absent: the embedded database. */
  readonly databaseUrl: string | undefined;
  /** Absent: the mail stub. */
  readonly mailUrl: string | undefined;
  readonly lease: LeaseSettings;
  /** Absent: each copy leaves by itself. */
  readonly floor: FloorSettings | undefined;
  readonly faults: boolean;
  readonly version: string;
  readonly releaseId: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

function port(env: Environment, name: string, fallback: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new RangeError(`${name} must be a port from 0 to 65535, got ${JSON.stringify(text)}`);
}

function url(env: Environment, name: string, protocols: readonly string[]): string | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  const protocol = URL.canParse(text) ? new URL(text).protocol : undefined;
  if (protocol !== undefined && protocols.includes(protocol)) return text;
  // The value may hold a password, so the message does not repeat it.
  throw new RangeError(`${name} must be a URL that starts with ${protocols.join(' or ')}`);
}

const LONGEST_TTL_MS = 3_600_000;

function leaseSettings(env: Environment): LeaseSettings {
  const ttl = env['LEASE_TTL_MS'];
  const ttlMs = ttl === undefined || ttl === '' ? undefined : Number(ttl);
  if (ttlMs !== undefined && !(ttlMs >= 1000 && ttlMs <= LONGEST_TTL_MS))
    throw new RangeError(`LEASE_TTL_MS must be a number from 1000 to ${LONGEST_TTL_MS}`);
  return { url: env['LEASE_URL'] || undefined, name: env['LEASE_NAME'] || 'orders', ttlMs };
}

function floorSettings(env: Environment): FloorSettings | undefined {
  const { FLOOR: share, INSTANCES: count } = env;
  if (!share) return undefined;
  const [floor, instances] = [Number(share), Number(count)];
  if (!(floor >= 0 && floor <= 1)) throw new RangeError('FLOOR must be a share from 0 to 1');
  if (!Number.isInteger(instances) || instances < 1)
    throw new RangeError('INSTANCES must be the number of copies, from 1, when FLOOR is set');
  // Copies that do not know of each other cannot agree who may leave.
  if (!env['LEASE_URL']) throw new RangeError('LEASE_URL must be set when FLOOR is');
  return { floor, instances };
}

/**
 * Reads the settings.
 * @throws RangeError naming the variable and the accepted values.
 */
export function readSettings(env: Environment, defaults: { host: string }): Settings {
  return {
    host: env['HOST'] || defaults.host,
    port: port(env, 'PORT', 8080),
    probePort: port(env, 'HALE_PORT', 9400),
    diagnosticPort: port(env, 'HALE_DIAGNOSTIC_PORT', 9401),
    relayPort: port(env, 'PANEL_RELAY_PORT', 0),
    databaseUrl: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    mailUrl: url(env, 'MAIL_URL', ['http:', 'https:']),
    lease: leaseSettings(env),
    floor: floorSettings(env),
    faults: env['HALE_DEMO_FAULTS'] === '1',
    version: env['npm_package_version'] ?? '1.0.0',
    releaseId: env['GIT_SHA'] || undefined,
  };
}
