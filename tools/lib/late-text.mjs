import path from 'node:path';
import { build } from 'esbuild';

const NAMESPACE = 'late-text';

/**
 * Keeps parts of a bundle as text until they are imported: V8 reads every function of a program before its first line
 * runs, but only skips over a string. A part brings its own copy of what it shares with the rest.
 * @param {readonly string[]} parts Sources, from the root, that are imported with `import()`.
 * @param {import('esbuild').BuildOptions} options Of the whole bundle, in CommonJS.
 * @param {(inputs: string[]) => void} [onInputs] Told the source files of each part.
 * @returns {import('esbuild').Plugin}
 */
export function lateText(parts, options, onInputs = () => {}) {
  const root = options.absWorkingDir ?? process.cwd();
  const late = new Set(parts.map((part) => path.join(root, part)));
  return {
    name: NAMESPACE,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ kind, path: specifier, resolveDir }) => {
        const source = path.join(resolveDir, specifier.replace(/\.js$/, '.ts'));
        const isLate = kind === 'dynamic-import' && late.has(source);
        return isLate ? { path: source, namespace: NAMESPACE } : undefined;
      });
      onLoad({ filter: /./, namespace: NAMESPACE }, async ({ path: source }) => {
        // A part may have late parts of its own.
        const plugins = [lateText(parts, options, onInputs)];
        const { outputFiles, metafile } = await build({
          ...options,
          entryPoints: [source],
          write: false,
          metafile: true,
          plugins,
        });
        onInputs(Object.keys(metafile?.inputs ?? {}));
        return { contents: evaluation(source, outputFiles?.[0]?.text ?? ''), loader: 'js' };
      });
    },
  };
}

/**
 * A module that runs the text as a script with a name of its own in stack traces.
 * @param {string} source
 * @param {string} text
 */
function evaluation(source, text) {
  const filename = `hale/${path.basename(source, '.ts')}.js`;
  const wrapped = `(function (module, exports, require) {${text}\n})`;
  return [
    "const { Script } = require('node:vm');",
    `const script = new Script(${JSON.stringify(wrapped)}, { filename: ${JSON.stringify(filename)} });`,
    'script.runInThisContext()(module, exports, require);',
    '',
  ].join('\n');
}
