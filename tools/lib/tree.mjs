import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Files below a folder whose names end in one of the suffixes, relative to it; none if it is missing.
 * @param {string} folder
 * @param {readonly string[]} suffixes
 * @returns {string[]}
 */
export function filesBelow(folder, suffixes) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && suffixes.some((suffix) => entry.name.endsWith(suffix)))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.split(path.sep).includes('node_modules'))
    .sort();
}
