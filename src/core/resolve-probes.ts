import { DEFAULTS } from './defaults.js';
import { type Environment, numberSetting, textSetting } from './environment.js';
import { OptionError } from './errors.js';
import type { HealthOptions, LivenessOptions, ProbeListenerOptions } from './health-options.js';
import {
  METRICS_PATH,
  PATH_SETS,
  type PathSet,
  STATUS_EVENTS_PATH,
  STATUS_PATH,
} from './path-sets.js';
import type { ListenerOptions, ProbeOptions, ProbePaths } from './probe-options.js';
import { resolveDiagnostic } from './resolve-diagnostic.js';
import { resolveFiles } from './resolve-files.js';
import { resolveTls } from './resolve-tls.js';
import { portOption, resolveProtocols } from './resolve-protocols.js';
import {
  booleanOption,
  choiceOption,
  durationOption,
  integerOption,
  objectOption,
  textOption,
} from './validate.js';

/** Fewer, and a stall could be told from an ordinary late beat only by luck. */
const BEATS_IN_STALL = 10;
/** A major collection or a large JSON.parse may take this long in a healthy process. */
const SHORTEST_STALL_MS = 1000;

const PATH = /^\/[\w./~-]*$/;

/**
 * Completes the options of the probe side.
 * @throws OptionError on a value outside its range or a path that would answer two questions (L1).
 */
export function resolveProbeOptions(options: HealthOptions, env: Environment): ProbeOptions {
  const { diagnostic = {}, isolation = 'thread' } = options;
  const probes = options.probes === false ? {} : objectOption('probes', options.probes ?? {});
  const stallAfterMs = stallAfterOf(objectOption('liveness', options.liveness ?? {}), env);
  return {
    isolation: textSetting(env, 'HALE_ISOLATION', isolation, (option, value) =>
      choiceOption(option, value, ['thread', 'inline']),
    ),
    listener: options.probes === false ? false : listenerOf(probes, env),
    diagnostic:
      diagnostic === false ? false : resolveDiagnostic(objectOption('diagnostic', diagnostic), env),
    ...resolveFiles(probes.files),
    ...(options.probes === false ? {} : resolveProtocols(options, probes, env)),
    paths: pathsOf(probes),
    details: booleanOption('probes.details', probes.details ?? false),
    warnStatus: warnStatusOf(probes.warnStatus),
    staleAfterMs: DEFAULTS.staleAfterMs,
    stallAfterMs,
    beatMs: Math.min(DEFAULTS.beatMs, stallAfterMs / BEATS_IN_STALL),
    ...(options.background === false ? { background: false } : {}),
    onDemandWaitMs: DEFAULTS.onDemandWaitMs,
  };
}

function stallAfterOf(
  { stallAfterMs = DEFAULTS.stallAfterMs }: LivenessOptions,
  env: Environment,
): number {
  return numberSetting(env, 'HALE_STALL_AFTER_MS', stallAfterMs, (option, value) =>
    durationOption(option, value, SHORTEST_STALL_MS),
  );
}

function listenerOf(probes: ProbeListenerOptions, env: Environment): ListenerOptions {
  const { port = DEFAULTS.port, maxConnections = DEFAULTS.maxConnections } = probes;
  const host = textSetting(env, 'HALE_HOST', probes.host, (option, value) =>
    value === undefined ? undefined : textOption(option, value),
  );
  return {
    ...(host === undefined ? {} : { host }),
    port: numberSetting(env, 'HALE_PORT', port, portOption),
    maxConnections: integerOption('probes.maxConnections', maxConnections, { min: 8, max: 65_535 }),
    headersTimeoutMs: DEFAULTS.headersTimeoutMs,
    maxHeaderBytes: DEFAULTS.maxHeaderBytes,
    ...resolveTls('probes.tls', probes.tls),
  };
}

function warnStatusOf(value: unknown): 200 | 503 {
  if (value === undefined || value === 200) return 200;
  if (value === 503) return 503;
  throw new OptionError('probes.warnStatus', '200 or 503', value);
}

function pathsOf({ paths = 'kubernetes', aliases = {} }: ProbeListenerOptions): ProbePaths {
  const chosen = typeof paths === 'string' ? pathSet(paths) : objectOption('probes.paths', paths);
  const more = objectOption('probes.aliases', aliases);
  const owners = new Map([
    [METRICS_PATH, 'metrics'],
    [STATUS_PATH, 'the report'],
    [STATUS_EVENTS_PATH, 'the events of the report'],
  ]);
  const answering = (kind: keyof ProbePaths): string[] => [
    ...uniquePaths('paths', kind, chosen[kind] ?? PATH_SETS.kubernetes[kind], owners),
    ...uniquePaths('aliases', kind, more[kind] ?? [], owners),
  ];
  return {
    liveness: answering('liveness'),
    readiness: answering('readiness'),
    startup: answering('startup'),
  };
}

function pathSet(name: string): ProbePaths {
  return PATH_SETS[choiceOption('probes.paths', name, Object.keys(PATH_SETS) as PathSet[])];
}

function uniquePaths(
  option: 'paths' | 'aliases',
  kind: keyof ProbePaths,
  paths: readonly unknown[],
  owners: Map<string, string>,
): string[] {
  const name = `probes.${option}.${kind}`;
  if (!Array.isArray(paths) || (option === 'paths' && paths.length === 0)) {
    throw new OptionError(name, 'a list of paths such as ["/livez"]', paths);
  }
  return paths.map((path: unknown) => {
    if (typeof path !== 'string' || !PATH.test(path)) {
      const accepted = 'paths such as "/livez", of letters, digits and . _ ~ - /';
      throw new OptionError(name, accepted, path);
    }
    const owner = owners.get(path);
    if (owner !== undefined) {
      throw new OptionError(name, `paths that nothing else answers (${owner} has this one)`, path);
    }
    owners.set(path, kind);
    return path;
  });
}
