import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { build } from 'esbuild';

const SCRIPT = 'src/page/client/main.ts';
const STYLE = 'src/page/client/style.css';
const OUTPUT = 'src/page/assets.generated.ts';
/** What the licences of the libraries inside ask for; the whole texts are in the package. */
const NOTICE =
  '/* uPlot: MIT, (c) Leon Sorokin. idiomorph: 0BSD. See THIRD-PARTY-LICENSES.md of hale. */';

/**
 * Bundles the script and the style of the diagnostic page and writes them, packed, into a module: the page comes from
 * the probe thread, which has no files.
 * @param {string} root Folder of the package.
 */
export async function embedPage(root) {
  if (!existsSync(path.join(root, SCRIPT))) return;
  const script = `${NOTICE}${inside(await bundle(root, SCRIPT), '</script')}`;
  const style = inside(await bundle(root, STYLE), '</style');
  const assets = { script, style, scriptHash: hashOf(script), styleHash: hashOf(style) };
  const packed = deflateRawSync(JSON.stringify(assets), { level: 9 }).toString('base64');
  const text = [
    '// Written by tools/embed-page.mjs from client/main.ts and client/style.css; do not edit.',
    '/** JSON with the script and the style of the page, deflated. */',
    `export const packedAssets: string = '${packed}';`,
    '',
  ].join('\n');
  const file = path.join(root, OUTPUT);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/**
 * @param {string} root
 * @param {string} entry
 */
async function bundle(root, entry) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome110', 'firefox110', 'safari16'],
    legalComments: 'none',
    logLevel: 'warning',
  });
  return (result.outputFiles[0]?.text ?? '').trim();
}

/**
 * What stands inside an element must not end it.
 * @param {string} text
 * @param {string} end
 */
function inside(text, end) {
  if (text.toLowerCase().includes(end) || text.includes('<!--')) {
    throw new Error(`the page's assets must not hold ${end} or <!--`);
  }
  return text;
}

/** @param {string} text */
function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
