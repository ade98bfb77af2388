import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** A runtime that runs a program for Node.js: the command, and its arguments before the file. */
export interface Runtime {
  readonly name: 'node' | 'bun' | 'deno';
  readonly command: string;
  readonly args: readonly string[];
}

const require = createRequire(import.meta.url);

/** Node.js, and the Bun and Deno of the development tools, whose programs come as packages of their own. */
export const RUNTIMES: readonly Runtime[] = [
  { name: 'node', command: process.execPath, args: [] },
  { name: 'bun', command: programOf('bun', ['bin/bun']), args: [] },
  {
    name: 'deno',
    command: programOf('deno', ['deno']),
    args: ['run', '--allow-all', '--no-lock', '--cached-only', '--quiet'],
  },
];

/** The program in the one optional dependency of a package that was installed, because it fits this machine. */
function programOf(name: string, files: readonly string[]): string {
  const manifest = require.resolve(`${name}/package.json`);
  const { optionalDependencies } = require(manifest) as {
    optionalDependencies: Record<string, string>;
  };
  const modules = path.resolve(path.dirname(manifest), '..');
  const found = Object.keys(optionalDependencies)
    .flatMap((dependency) => files.map((file) => path.join(modules, dependency, file)))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} is not installed for this platform`);
  return found;
}
