import type { Environment } from './environment.js';
import { OptionError } from './errors.js';
import type { HealthOptions } from './health-options.js';
import type { SystemdNotify } from './probe-options.js';
import { functionOption, objectOption } from './validate.js';

/** The first descriptor systemd hands over (`SD_LISTEN_FDS_START`). */
const FIRST_DESCRIPTOR = 3;
/** What the descriptor is named in the unit: `OpenFile=/run/systemd/notify:notify`. */
const DESCRIPTOR_NAME = 'notify';

/**
 * Completes the `systemd` option: absent unless it is on and systemd waits for messages (`NOTIFY_SOCKET`).
 * @throws OptionError when it is neither a boolean nor an object with a function `send`.
 */
export function resolveSystemd(
  { systemd = false }: Pick<HealthOptions, 'systemd'>,
  env: Environment,
  stopWithinMs: number,
): { readonly systemd?: SystemdNotify } {
  const isCaller = sendsItself(systemd);
  const socket = env['NOTIFY_SOCKET'];
  if (systemd === false || socket === undefined || socket === '') return {};
  const searchPath = env['PATH'];
  const inherited = inheritedOf(env);
  return {
    systemd: {
      sender: isCaller ? 'caller' : 'own',
      socket,
      stopWithinMs,
      ...(searchPath === undefined ? {} : { searchPath }),
      ...watchdogOf(env),
      ...(inherited === undefined ? {} : { inherited }),
    },
  };
}

function sendsItself(systemd: unknown): boolean {
  if (typeof systemd === 'boolean') return false;
  if (typeof systemd !== 'object')
    throw new OptionError('systemd', 'true, false or an object', systemd);
  const { send } = objectOption<{ send?: unknown }>('systemd', systemd as object);
  return send !== undefined && functionOption('systemd.send', send) !== undefined;
}

/** As `sd_watchdog_enabled(3)` reads it: microseconds, and whom it is meant for. */
function watchdogOf(env: Environment): Pick<SystemdNotify, 'watchdogMs' | 'watchdogPid'> {
  const micros = wholeNumber(env['WATCHDOG_USEC']);
  if (micros === undefined || micros === 0) return {};
  const pid = wholeNumber(env['WATCHDOG_PID']);
  return { watchdogMs: micros / 1000, ...(pid === undefined ? {} : { watchdogPid: pid }) };
}

/** As `sd_listen_fds_with_names(3)` reads it. */
function inheritedOf(env: Environment): SystemdNotify['inherited'] {
  const pid = wholeNumber(env['LISTEN_PID']);
  const count = wholeNumber(env['LISTEN_FDS']);
  const index = env['LISTEN_FDNAMES']?.split(':').indexOf(DESCRIPTOR_NAME) ?? -1;
  if (pid === undefined || count === undefined || index === -1 || index >= count) return undefined;
  return { descriptor: FIRST_DESCRIPTOR + index, pid };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
