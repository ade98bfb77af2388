import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { verdict } from '../lib/gate.mjs';
import { filesBelow } from '../lib/tree.mjs';

/**
 * @typedef {{ types?: string, default?: string } | string} Target
 * @typedef {{ name: string, exports: Record<string, Target> }} Manifest
 */

/**
 * The exports map, the built files and the docs must agree, in both directions.
 * @type {import('../lib/gate.mjs').Gate}
 */
export const exportsMap = {
  name: 'exports, dist and docs agree',
  run(root) {
    const manifest = readManifest(root);
    const targets = Object.entries(manifest.exports);
    const named = namesInDocs(root, manifest.name);
    const problems = [
      ...targets.flatMap(([subpath, target]) => missingFiles(root, subpath, target)),
      ...undocumented(manifest, named),
      ...unknownNames(manifest, named),
      ...unexportedEntries(root, targets),
    ];
    return Promise.resolve(verdict(problems.length === 0, targets.length, problems.join('\n')));
  },
};

/** @param {string} root */
function readManifest(root) {
  return /** @type {Manifest} */ (
    JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  );
}

/**
 * @param {string} root
 * @param {string} subpath
 * @param {Target} target
 */
function missingFiles(root, subpath, target) {
  const files = typeof target === 'string' ? [target] : [target.types, target.default];
  return files
    .filter((file) => file === undefined || !existsSync(path.join(root, file)))
    .map((file) => `${subpath}: ${file ?? 'types or default'} does not exist`);
}

/**
 * Import names of this package as the README and the docs write them: in code, after a quote.
 * @param {string} root
 * @param {string} name
 */
function namesInDocs(root, name) {
  const pages = filesBelow(path.join(root, 'docs'), ['.md']).map((file) => `docs/${file}`);
  const texts = ['README.md', ...pages]
    .map((file) => path.join(root, file))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'));
  const pattern = new RegExp(`['"\`](${name}(?:/[a-z0-9./-]*[a-z0-9])?)['"\`]`, 'g');
  return new Set(
    texts.flatMap((text) => [...text.matchAll(pattern)].map((match) => match[1] ?? '')),
  );
}

/**
 * @param {Manifest} manifest
 * @param {Set<string>} named
 */
function undocumented(manifest, named) {
  return importNames(manifest)
    .filter((name) => !named.has(name))
    .map((name) => `${name} is exported but neither README.md nor docs/ mention it`);
}

/**
 * @param {Manifest} manifest
 * @param {Set<string>} named
 */
function unknownNames(manifest, named) {
  const known = new Set([...importNames(manifest), `${manifest.name}/package.json`]);
  return [...named]
    .filter((name) => !known.has(name))
    .map((name) => `${name} is documented but package.json does not export it`);
}

/** @param {Manifest} manifest */
function importNames(manifest) {
  return Object.keys(manifest.exports)
    .filter((subpath) => subpath !== './package.json')
    .map((subpath) => path.posix.join(manifest.name, subpath));
}

/**
 * A ready-made check, framework or store is an entry point by its place.
 * @param {string} root
 * @param {[string, Target][]} targets
 */
function unexportedEntries(root, targets) {
  const exported = new Set(
    targets.map(([, target]) => (typeof target === 'string' ? target : target.default)),
  );
  return ['checks', 'frameworks', 'lease/stores'].flatMap((folder) =>
    filesBelow(path.join(root, 'dist', folder), ['.d.ts'])
      .filter((file) => !file.includes('/'))
      .map((file) => `./dist/${folder}/${file.replace(/\.d\.ts$/, '.js')}`)
      .filter((file) => !exported.has(file))
      .map((file) => `${file} is built but package.json does not export it`),
  );
}
