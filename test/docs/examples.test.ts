import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const at = (file: string) => new URL(`../../${file}`, import.meta.url);
const read = (file: string) => readFileSync(at(file), 'utf8');

const pages = ['README.md', ...readdirSync(at('docs')).map((file) => `docs/${file}`)].filter(
  (file) => file.endsWith('.md'),
);

interface Taken {
  readonly page: string;
  readonly from: string;
  readonly names: readonly string[];
}

/** What the examples of a page take from hale; types are the type check's affair. */
function takenOn(page: string): Taken[] {
  const blocks = read(page).matchAll(/```[jt]sx?\n(?<code>.*?)```/gs);
  return [...blocks].flatMap(({ groups }) =>
    [
      ...(groups?.['code'] ?? '').matchAll(
        /import \{(?<names>[^}]*)\} from '(?<from>hale(?:\/[^']*)?)'/g,
      ),
    ].map(({ groups: { names = '', from = '' } = {} }) => ({
      page,
      from,
      names: names
        .split(',')
        .map((name) => name.trim().replace(/ as .*/, ''))
        .filter((name) => name !== '' && !name.startsWith('type ')),
    })),
  );
}

const { exports } = JSON.parse(read('package.json')) as {
  exports: Readonly<Record<string, { readonly default?: string }>>;
};

/** The source of an entry point; empty where there is no such entry point. */
function sourceOf(from: string): string {
  const built = exports[from.replace(/^hale/, '.')]?.default ?? '';
  if (built === '') return '';
  return read(built.replace('./dist/', 'src/').replace(/\.js$/, '.ts'));
}

function isExported(name: string, source: string): boolean {
  const listed = String.raw`export \{[^}]*\b${name}\b`;
  const declared = String.raw`export (?:async )?(?:function|class|const) ${name}\b`;
  return new RegExp(`${listed}|${declared}`).test(source);
}

describe('examples of the documentation', () => {
  it('take from hale only what it exports', () => {
    const taken = pages.flatMap(takenOn);
    expect(taken.length).toBeGreaterThan(60);
    const missing = taken.flatMap(({ page, from, names }) => {
      const source = sourceOf(from);
      return names
        .filter((name) => !isExported(name, source))
        .map((name) => `${page}: ${name} of ${from}`);
    });
    expect(missing).toStrictEqual([]);
  });

  it('every entry point is told of', () => {
    const told = pages.map(read).join('\n');
    const entries = Object.keys(exports)
      .filter((entry) => entry !== './package.json')
      .map((entry) => entry.replace(/^\./, 'hale'));
    expect(entries.length).toBeGreaterThan(50);
    expect(entries.filter((entry) => !new RegExp(`${entry}['\`]`).test(told))).toStrictEqual([]);
  });
});
