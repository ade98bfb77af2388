import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ENVIRONMENT } from '../../src/core/environment.js';
import { REASON_CODES } from '../../src/core/reason.js';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** The cells of a page's table below a heading, without backticks, row by row. */
function table(page: string, heading: string): string[][] {
  const below = page.slice(page.indexOf(`\n## ${heading}\n`) + 1);
  const end = below.indexOf('\n## ');
  const lines = (end === -1 ? below : below.slice(0, end)).split('\n');
  const rows = lines.filter((line) => line.startsWith('| `'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const words = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? '');

describe('docs/configuration.md', () => {
  const page = read('docs/configuration.md');

  it('lists every environment variable with the option it overrides, and no other', () => {
    const rows = table(page, 'Environment variables').map((row) => row.flatMap(words));
    expect(rows.length).toBeGreaterThan(10);
    expect(Object.fromEntries(rows)).toEqual(ENVIRONMENT);
    expect(rows).toHaveLength(Object.keys(ENVIRONMENT).length);
  });

  /** `interface` in the source → how the page writes its members. */
  const INTERFACES: readonly (readonly [file: string, name: string, path: string])[] = [
    ['health-options', 'HealthOptions', ''],
    ['health-options', 'LeasesOptions', 'leases.'],
    ['health-options', 'LivenessOptions', 'liveness.'],
    ['health-options', 'StartupOptions', 'startup.'],
    ['health-options', 'ProbeListenerOptions', 'probes.'],
    ['health-options', 'DiagnosticListenerOptions', 'diagnostic.'],
    ['health-options', 'ShutdownOptions', 'shutdown.'],
    ['capacity', 'CapacityOptions', 'capacity.'],
    ['admission-options', 'AdmissionOptions', 'admission.'],
  ];
  /** Written as their members. */
  const GROUPS = ['leases', 'liveness', 'startup', 'capacity', 'admission', 'shutdown'];

  function members(file: string, name: string): string[] {
    const source = read(`src/core/${file}.ts`);
    const start = source.indexOf(`export interface ${name} `);
    const body = source.slice(start, source.indexOf('\n}', start));
    return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, member]) => member ?? '');
  }

  it('lists every option, and no other', () => {
    const options = INTERFACES.flatMap(([file, name, path]) =>
      members(file, name).map((member) => `${path}${member}`),
    ).filter((option) => !GROUPS.includes(option));
    const listed = table(page, 'Options').flatMap(([names]) => words(names));
    expect(options.length).toBeGreaterThan(30);
    expect(listed.toSorted()).toEqual(options.toSorted());
  });

  it('lists every option of a check, and no other', () => {
    const listed = table(page, 'Options of a check').flatMap(([names]) => words(names));
    expect(listed.length).toBeGreaterThan(10);
    expect(listed.toSorted()).toEqual(members('check', 'CheckOptions').toSorted());
  });

  it('lists every code of an error, and no other', () => {
    const source = read('src/core/errors.ts');
    const codes = [...source.matchAll(/^ {2}\| '(HALE_\w+)'/gm)].map(([, code]) => code ?? '');
    const listed = table(page, 'Errors').flatMap(([names]) => words(names));
    expect(codes.length).toBeGreaterThan(15);
    expect(listed.toSorted()).toEqual(codes.toSorted());
  });
});

describe('docs/probes.md', () => {
  it('lists every reason code in order of precedence, and no other', () => {
    const rows = table(read('docs/probes.md'), 'Reasons');
    const codes = rows.map(([names]) => words(names)[0]?.split(':')[0]);
    expect(codes.length).toBeGreaterThan(15);
    expect(codes).toEqual([...REASON_CODES]);
  });
});
