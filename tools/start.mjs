import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './lib/run.mjs';

const EXAMPLE = path.join(ROOT, 'examples/order-service');
const SERVICE = path.join(EXAMPLE, 'dist/start.js');
const LIBRARY = path.join(ROOT, 'dist/index.js');

if (isStale()) {
  const { buildAll } = await import('./build.mjs');
  await buildAll();
}
process.env['HALE_DEMO_FAULTS'] ??= '1';
// Imported, not spawned: a signal sent to this process must reach the service itself.
await import(pathToFileURL(SERVICE).href);

/** True when a build is missing or older than what it is made from. */
function isStale() {
  if (!existsSync(SERVICE) || !existsSync(LIBRARY)) return true;
  const built = Math.min(statSync(SERVICE).mtimeMs, statSync(LIBRARY).mtimeMs);
  const sources = [path.join(ROOT, 'src'), EXAMPLE, path.join(ROOT, 'tsconfig.build.json')];
  return newest(sources) > built;
}

/**
 * @param {readonly string[]} paths
 * @returns {number} Newest modification time below the paths, in milliseconds.
 */
function newest(paths) {
  return Math.max(0, ...paths.map((entry) => newestOf(entry)));
}

/** @param {string} entry */
function newestOf(entry) {
  const stat = statSync(entry);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const names = readdirSync(entry).filter((name) => name !== 'node_modules' && name !== 'dist');
  return newest(names.map((name) => path.join(entry, name)));
}
