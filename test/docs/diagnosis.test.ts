import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DIAGNOSIS_SCHEMA } from '../../src/core/diagnosis.js';

const read = (file: string) => readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');

interface Node {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
  readonly definitions?: Readonly<Record<string, Node>>;
  readonly const?: unknown;
}

const schema = JSON.parse(read('diagnosis.schema.json')) as Node;

/** The paths of all values that are no objects, as the page writes them. */
function pathsOf(node: Node, path = ''): string[] {
  if (node.$ref !== undefined) {
    const target = schema.definitions?.[node.$ref.replace('#/definitions/', '')];
    if (target === undefined) throw new Error(`no ${node.$ref}`);
    return pathsOf(target, path);
  }
  if (node.items !== undefined) return pathsOf(node.items, `${path}[]`);
  const below = Object.entries(node.properties ?? {}).flatMap(([name, value]) =>
    pathsOf(value, path === '' ? name : `${path}.${name}`),
  );
  if (typeof node.additionalProperties === 'object')
    below.push(...pathsOf(node.additionalProperties, `${path}.*`));
  return below.length === 0 ? [path] : below;
}

describe('docs/diagnosis.md', () => {
  const page = read('diagnosis.md');
  const fieldsAt = page.indexOf('\n## Fields\n');
  const rows = page
    .slice(fieldsAt)
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const told = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? ''),
  );

  it('E4: tells every field of the schema', () => {
    const all = pathsOf(schema).map((path) =>
      path.replace(/^probes\.(?:startup|liveness|readiness)/, 'probes.*'),
    );
    expect(all.length).toBeGreaterThan(80);
    expect(all.filter((path) => !told.includes(path))).toStrictEqual([]);
  });

  it('E4: tells no field that is not in the schema', () => {
    const known = pathsOf(schema);
    expect(fieldsAt).toBeGreaterThan(0);
    const begins = (path: string) => known.some((each) => each.startsWith(path.replace('.*', '.')));
    const probes = (path: string) => path.replace('probes.*', 'probes.startup');
    expect(told.filter((path) => !begins(probes(path)))).toStrictEqual([]);
  });

  it('E4: the schema has the version of the document', () => {
    expect(schema.definitions?.['diagnosis']?.properties?.['schema']?.const).toBe(DIAGNOSIS_SCHEMA);
  });
});
