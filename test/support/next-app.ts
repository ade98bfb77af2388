import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXAMPLE = path.join(ROOT, 'examples/next-service');

/** A Next.js app as a user has it: its own folder, packages in its own `node_modules`, built. */
export interface NextApp {
  readonly folder: string;
  remove(): void;
}

/**
 * Copies the example and what it depends on to where no package of this repository is in reach of the bundler, and
 * builds it there. Takes about 15 s.
 */
export async function buildNextApp(): Promise<NextApp> {
  // Below the repository, because its file system is the one where the packages can be linked instead of copied.
  const folder = path.join(ROOT, `.cache/next-service-${process.pid}`);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    cpSync(EXAMPLE, folder, { recursive: true, filter: isSource });
    await linkPackages(folder, ['next', 'react', 'react-dom']);
    copyHale(path.join(folder, 'node_modules/hale'));
    await promisify(execFile)(process.execPath, ['node_modules/next/dist/bin/next', 'build'], {
      cwd: folder,
      env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    });
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function isSource(file: string): boolean {
  return !/\/(\.next|node_modules)$/.test(file);
}

function copyHale(target: string): void {
  cpSync(path.join(ROOT, 'dist'), path.join(target, 'dist'), { recursive: true });
  cpSync(path.join(ROOT, 'package.json'), path.join(target, 'package.json'));
}

async function linkPackages(folder: string, names: readonly string[]): Promise<void> {
  for (const source of closure(names)) {
    const target = path.join(folder, path.relative(ROOT, source));
    // One package within another has come with it.
    if (existsSync(target)) continue;
    mkdirSync(path.dirname(target), { recursive: true });
    await promisify(execFile)('cp', ['-al', source, target]);
  }
}

/** Optional and large, and nothing here resizes an image. */
const UNUSED = new Set(['sharp']);

/** The folders of these packages and of all that they depend on. */
function closure(names: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (name: string, from: string): void => {
    const folder = packageFolder(name, from);
    if (folder === undefined || found.has(folder)) return;
    found.add(folder);
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(path.join(folder, 'package.json'), 'utf8'),
    ) as Record<string, Record<string, string> | undefined>;
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies }))
      if (!UNUSED.has(next)) visit(next, folder);
  };
  for (const name of names) visit(name, EXAMPLE);
  return [...found].toSorted();
}

/** Where Node.js finds a package; `undefined` for one of another platform. */
function packageFolder(name: string, from: string): string | undefined {
  const folder = path.join(from, 'node_modules', name);
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  return from === ROOT || path.dirname(from) === from
    ? undefined
    : packageFolder(name, path.dirname(from));
}
