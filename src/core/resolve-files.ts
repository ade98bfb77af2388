import { OptionError } from './errors.js';
import type { ProbeFiles } from './probe-options.js';
import { isAbsolute } from './resolve-tls.js';
import { objectOption } from './validate.js';

const PROBES = ['liveness', 'readiness', 'startup'] as const;

/**
 * Completes the files for exec probes; none exists unless its option asks for it.
 * @throws OptionError on a path that is not absolute, or two probes with one file (L1).
 */
export function resolveFiles(given: unknown): { readonly files?: ProbeFiles } {
  if (given === undefined) return {};
  const paths = objectOption<Partial<Record<keyof ProbeFiles, unknown>>>(
    'probes.files',
    given as object,
  );
  const named = PROBES.filter((probe) => paths[probe] !== undefined);
  const seen = new Set<unknown>();
  for (const probe of named) {
    const path = paths[probe];
    const option = `probes.files.${probe}`;
    if (typeof path !== 'string' || !isAbsolute(path) || /[\\/]$/.test(path))
      throw new OptionError(option, 'the absolute path of a file', path);
    if (seen.has(path)) throw new OptionError(option, 'a file of its own', path);
    seen.add(path);
  }
  if (named.length === 0) return {};
  return { files: Object.fromEntries(named.map((probe) => [probe, paths[probe]])) };
}
