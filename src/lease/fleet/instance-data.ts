import type { Status } from '../../core/check.js';
import type { Phase } from '../../core/phase.js';
import { PHASES } from '../../core/phase.js';

/** Grows when a field is removed or changes its meaning; a new field does not change it. */
export const INSTANCE_DATA_SCHEMA = 1;

/** What an instance tells about itself in the data of its lease. */
export interface InstanceInfo {
  readonly version?: string;
  readonly releaseId?: string;
  /** ISO 8601 in UTC, by the clock of the instance. */
  readonly startedAt?: string;
  readonly phase?: Phase;
  /** Of readiness. */
  readonly status?: Status;
  /** Why readiness says so: a reason code. */
  readonly reason?: string;
}

const LONGEST = 200;
const TEXTS = ['version', 'releaseId', 'startedAt', 'reason'] as const;
const STATUSES: readonly unknown[] = ['pass', 'warn', 'fail'];

/** The text for a lease; fits into its data whatever the texts are. */
export function instanceData(info: InstanceInfo): string {
  const cut = { ...info };
  for (const name of TEXTS) {
    const text = info[name];
    if (text !== undefined) cut[name] = text.slice(0, LONGEST);
  }
  return JSON.stringify({ hale: INSTANCE_DATA_SCHEMA, ...cut });
}

/** Reads the data of a lease. Anybody may have written it: what is not understood is left out. */
export function parseInstanceData(data: string): InstanceInfo {
  const given = parsed(data);
  if (typeof given['hale'] !== 'number') return {};
  const { phase, status } = given;
  const info: Record<string, unknown> = {};
  for (const name of TEXTS) {
    const text = given[name];
    if (typeof text === 'string' && text !== '') info[name] = text.slice(0, LONGEST);
  }
  if ((PHASES as readonly unknown[]).includes(phase)) info['phase'] = phase;
  if (STATUSES.includes(status)) info['status'] = status;
  return info as InstanceInfo;
}

function parsed(data: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
