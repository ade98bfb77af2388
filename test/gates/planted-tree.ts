import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../../tools/lib/run.mjs';

const CONFIGS = [
  '.dependency-cruiser.cjs',
  '.oxfmtrc.json',
  '.oxlintrc.json',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'tools/folder-table.cjs',
];

/** A temporary folder laid out like this package, holding its real configuration. */
export interface PlantedTree extends Disposable {
  readonly root: string;
  /** Writes a file, creating its folder. */
  write(file: string, text: string): void;
}

/** Files by path, relative to the package. */
export type Files = Readonly<Record<string, string>>;

/** Creates a tree with the real configuration files, or some of them, and the given sources. */
export function plantTree(files: Files, configs: readonly string[] = CONFIGS): PlantedTree {
  const root = mkdtempSync(path.join(tmpdir(), 'hale-gate-'));
  for (const config of configs) cpSync(path.join(ROOT, config), path.join(root, config));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  const dispose = (): void => rmSync(root, { recursive: true, force: true });
  return { root, write, [Symbol.dispose]: dispose };
}
