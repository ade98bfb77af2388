import { HaleError } from '../../core/errors.js';
import type { LeaseStore } from '../../core/lease-store.js';
import type { LeaseUrl } from './lease-url.js';

/** Loads a package by its name, as `import()` does. */
export type LoadClient = (name: string) => Promise<unknown>;

/** Makes the store behind one kind of URL. */
export type Opener = (url: LeaseUrl, load: LoadClient) => Promise<LeaseStore>;

/** A client package that was found. */
export interface LoadedClient {
  readonly name: string;
  /** What it exports under a name, whatever kind of module it is. */
  get<T>(exported: string): T;
}

/**
 * Loads the first of several packages that is installed.
 * @throws HaleError `HALE_CLIENT_MISSING` when none is, naming what to install
 */
export async function loadClient(
  load: LoadClient,
  names: readonly string[],
  scheme: string,
): Promise<LoadedClient> {
  for (const name of names) {
    const module = await found(load, name);
    if (module !== undefined) return { name, get: (exported) => pick(module, exported) };
  }
  const wanted = names.map((name) => `"${name}"`).join(' or ');
  const text = `${scheme}: needs the package ${wanted}, which was not found: npm install ${names[0]}`;
  throw new HaleError('HALE_CLIENT_MISSING', text);
}

async function found(load: LoadClient, name: string): Promise<object | undefined> {
  try {
    return (await load(name)) as object;
  } catch (error) {
    if (isMissing(error, name)) return undefined;
    const text = `the package "${name}" could not be loaded`;
    throw new HaleError('HALE_CLIENT_MISSING', text, { cause: error });
  }
}

/** Whether it is the package itself that is missing, and not something it needs. */
function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') return false;
  return String(message).split('\n', 1)[0]?.includes(`'${name}'`) ?? false;
}

function pick<T>(module: object, exported: string): T {
  const direct = (module as Record<string, unknown>)[exported];
  if (direct !== undefined) return direct as T;
  const { default: main } = module as { default?: unknown };
  return (exported === 'default' ? module : (main as Record<string, unknown>)?.[exported]) as T;
}

/** Loads packages that are installed where this process was started. */
export const loadFromHere: LoadClient = async (name) => {
  const { createRequire } = process.getBuiltinModule('node:module');
  // Every client has a CommonJS face; an import of a variable would warn in bundlers.
  return createRequire(`${process.cwd()}/package.json`)(name) as unknown;
};
