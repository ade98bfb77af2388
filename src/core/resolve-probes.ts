import { DEFAULTS } from './defaults.js';
import { type Environment, numberVariable, textVariable } from './environment.js';
import { OptionError } from './errors.js';
import type { HealthOptions, ProbeListenerOptions } from './health-options.js';
import { PATH_SETS } from './path-sets.js';
import type {
  DiagnosticOptions,
  ListenerOptions,
  ProbeOptions,
  ProbePaths,
} from './probe-options.js';
import { choiceOption, durationOption, integerOption } from './validate.js';

const KINDS = ['liveness', 'readiness', 'startup'] as const;

/**
 * Completes the options of the probe side.
 * @throws OptionError on a value outside its range or a path that would answer two questions (L1).
 */
export function resolveProbeOptions(options: HealthOptions, env: Environment): ProbeOptions {
  const probes = options.probes === false ? {} : (options.probes ?? {});
  return {
    isolation: resolveIsolation(options, env),
    listener: options.probes === false ? false : listenerOf(probes, env),
    diagnostic: options.diagnostic === false ? false : diagnosticOf(options.diagnostic ?? {}, env),
    paths: pathsOf(probes),
    details: probes.details ?? false,
    warnStatus: warnStatusOf(probes.warnStatus),
    staleAfterMs: DEFAULTS.staleAfterMs,
    stallAfterMs: durationOption(
      'liveness.stallAfterMs',
      numberVariable(env, 'HALE_STALL_AFTER_MS') ??
        options.liveness?.stallAfterMs ??
        DEFAULTS.stallAfterMs,
      // Below ten beats a stall could be told from an ordinary late beat only by luck.
      10 * DEFAULTS.beatMs,
    ),
    beatMs: DEFAULTS.beatMs,
    onDemandWaitMs: DEFAULTS.onDemandWaitMs,
  };
}

function listenerOf(probes: ProbeListenerOptions, env: Environment): ListenerOptions {
  const host = textVariable(env, 'HALE_HOST') ?? probes.host;
  return {
    ...(host === undefined ? {} : { host }),
    port: portOption(
      'probes.port',
      numberVariable(env, 'HALE_PORT') ?? probes.port ?? DEFAULTS.port,
    ),
    maxConnections: integerOption(
      'probes.maxConnections',
      probes.maxConnections ?? DEFAULTS.maxConnections,
      {
        min: 8,
        max: 65_535,
      },
    ),
    headersTimeoutMs: DEFAULTS.headersTimeoutMs,
    maxHeaderBytes: DEFAULTS.maxHeaderBytes,
  };
}

function diagnosticOf(
  options: NonNullable<Exclude<HealthOptions['diagnostic'], false>>,
  env: Environment,
): DiagnosticOptions {
  return {
    host: textVariable(env, 'HALE_DIAGNOSTIC_HOST') ?? options.host ?? DEFAULTS.diagnosticHost,
    port: portOption(
      'diagnostic.port',
      numberVariable(env, 'HALE_DIAGNOSTIC_PORT') ?? options.port ?? DEFAULTS.diagnosticPort,
    ),
    maxConnections: DEFAULTS.maxConnections,
    headersTimeoutMs: DEFAULTS.headersTimeoutMs,
    maxHeaderBytes: DEFAULTS.maxHeaderBytes,
  };
}

function portOption(option: string, value: unknown): number {
  return integerOption(option, value, { min: 0, max: 65_535 });
}

function warnStatusOf(value: unknown): 200 | 503 {
  if (value === undefined || value === 200) return 200;
  if (value === 503) return 503;
  throw new OptionError('probes.warnStatus', '200 or 503', value);
}

function pathsOf({ paths = 'kubernetes', aliases = {} }: ProbeListenerOptions): ProbePaths {
  const chosen: Partial<ProbePaths> =
    typeof paths === 'string'
      ? PATH_SETS[
          choiceOption('probes.paths', paths, Object.keys(PATH_SETS) as (keyof typeof PATH_SETS)[])
        ]
      : { ...PATH_SETS.kubernetes, ...paths };
  const seen = new Map<string, string>();
  const result = { liveness: [] as string[], readiness: [] as string[], startup: [] as string[] };
  for (const kind of KINDS) {
    for (const path of [...(chosen[kind] ?? []), ...(aliases[kind] ?? [])]) {
      result[kind].push(uniquePath(kind, path, seen));
    }
  }
  return result;
}

function uniquePath(kind: string, path: unknown, seen: Map<string, string>): string {
  if (typeof path !== 'string' || !/^\/[\w./~-]*$/.test(path)) {
    throw new OptionError(
      `probes.paths.${kind}`,
      'paths such as "/livez", of letters, digits and . _ ~ - /',
      path,
    );
  }
  const owner = seen.get(path);
  if (owner !== undefined) {
    throw new OptionError(
      `probes.paths.${kind}`,
      `a path no other probe answers (${owner} has it)`,
      path,
    );
  }
  seen.set(path, kind);
  return path;
}

/** The `HALE_ISOLATION` variable, the option, or a thread. */
function resolveIsolation(options: HealthOptions, env: Environment): 'thread' | 'inline' {
  const chosen = textVariable(env, 'HALE_ISOLATION') ?? options.isolation ?? 'thread';
  return choiceOption('isolation', chosen, ['thread', 'inline']);
}
