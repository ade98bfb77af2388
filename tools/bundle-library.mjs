import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles the entry points that package.json exports into as few files as they can share: importing hale is part of
 * every start of a service, and a hundred small files cost ten times what a few do. Declarations come from tsc. The
 * commands of `bin` become a file each, and one for each module they import late.
 * @param {string} root Folder of the package.
 * @param {string} outDir
 */
export async function bundleLibrary(root, outDir) {
  const { main, others, commands } = entryPoints(root);
  await bundleMain(root, outDir, main);
  await build({
    ...common(root, outDir),
    entryPoints: others,
    splitting: true,
    chunkNames: 'shared/[name]-[hash]',
    format: 'esm',
  });
  if (commands.length === 0) return;
  // As CommonJS: a command that starts for every probe must not wait for the loader of ES modules, nor for what only the
  // other commands need. What it imports late is a file of its own.
  const late = commands.flatMap((command) => lateImports(root, command));
  await build({
    ...common(root, outDir),
    entryPoints: [...commands, ...new Set(late.map(({ source }) => source))],
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    plugins: [keepLate(new Set(late.map(({ specifier }) => specifier)))],
  });
}

/**
 * The main entry point becomes one file: each further one costs its import most of a millisecond. What it imports late
 * has its own copies of what it needs of it; that classes and symbols survive that, two copies of the package ask anyway.
 * @param {string} root
 * @param {string} outDir
 * @param {string[]} main
 */
async function bundleMain(root, outDir, main) {
  /** @type {Record<string, string>} */
  const late = {};
  const options = { ...common(root, outDir), format: /** @type {const} */ ('esm') };
  await build({ ...options, entryPoints: main, plugins: [gatherLate(late)] });
  if (Object.keys(late).length === 0) return;
  await build({
    ...options,
    entryPoints: late,
    splitting: true,
    chunkNames: 'main/[name]-[hash]',
  });
}

/**
 * Turns late imports into imports of files in `main`, and notes their sources under those names.
 * @param {Record<string, string>} late
 * @returns {import('esbuild').Plugin}
 */
function gatherLate(late) {
  return {
    name: 'gather-late',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path: specifier, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const source = path.join(resolveDir, specifier.replace(/js$/, 'ts'));
        const name = `main/${path.basename(source, '.ts')}`;
        if ((late[name] ??= source) !== source) throw new Error(`two late imports named ${name}`);
        return { path: `./${name}.js`, external: true };
      });
    },
  };
}

/**
 * What a command imports with `import()`.
 * @param {string} root
 * @param {string} command
 * @returns {{ specifier: string, source: string }[]}
 */
function lateImports(root, command) {
  const text = readFileSync(path.join(root, command), 'utf8');
  return [...text.matchAll(/import\('(\.[^']+)\.js'\)/g)].map(([, specifier = '']) => ({
    specifier: `${specifier}.js`,
    source: path.posix.join(path.posix.dirname(command), `${specifier}.ts`),
  }));
}

/**
 * Leaves late imports to the moment at which they are made.
 * @param {Set<string>} specifiers
 * @returns {import('esbuild').Plugin}
 */
function keepLate(specifiers) {
  return {
    name: 'keep-late',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path: specifier }) =>
        kind === 'dynamic-import' && specifiers.has(specifier)
          ? { path: specifier.replace(/js$/, 'cjs'), external: true }
          : undefined,
      );
    },
  };
}

/**
 * @param {string} root
 * @param {string} outDir
 * @returns {import('esbuild').BuildOptions}
 */
function common(root, outDir) {
  return {
    absWorkingDir: root,
    outdir: outDir,
    outbase: 'src',
    bundle: true,
    platform: 'node',
    target: 'node20',
    // One character beyond Latin-1 would double the size of the whole text in memory, and the time to parse it.
    charset: 'ascii',
    packages: 'external',
    legalComments: 'none',
    logLevel: 'warning',
  };
}

/**
 * The sources behind the exports and the commands.
 * @param {string} root
 */
function entryPoints(root) {
  /** @type {{ exports: Record<string, string | { default: string }>, bin?: Record<string, string> }} */
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const exported = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [] : [target.default],
  );
  const sources = exported.map(sourceOf);
  const isMain = (/** @type {string} */ source) => source === 'src/index.ts';
  return {
    main: sources.filter(isMain),
    others: sources.filter((source) => !isMain(source)),
    commands: Object.values(manifest.bin ?? {}).map(sourceOf),
  };
}

/** @param {string} file */
function sourceOf(file) {
  return file.replace(/^(\.\/)?dist\//, 'src/').replace(/\.c?js$/, '.ts');
}
