import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPrometheus } from '../../tools/ensure-servers.mjs';
import { ROOT } from '../../tools/lib/run.mjs';

const TESTS = 'test/observe/alerts';
const RULES = 'observability/alerts.yml';
const files = readdirSync(path.join(ROOT, TESTS));

function promtool(...args: string[]) {
  const { promtool: program = '' } = findPrometheus() ?? {};
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** The tests beside rules that were tampered with, laid out as here. */
let copy: string;
beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'hale-rules-'));
  for (const folder of [TESTS, path.dirname(RULES)])
    mkdirSync(path.join(copy, folder), { recursive: true });
  cpSync(path.join(ROOT, TESTS), path.join(copy, TESTS), { recursive: true });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('the alert rules', () => {
  it('O3: are what promtool takes for rules, all of them', () => {
    const { status, output } = promtool('check', 'rules', path.join(ROOT, RULES));
    const count = readFileSync(path.join(ROOT, RULES), 'utf8').match(/- alert:/g)?.length;
    expect({ status, output }).toMatchObject({
      status: 0,
      output: expect.stringContaining(`${count} rules found`) as string,
    });
  });

  it.each(files)('O3: fire and end as %s says', (file) => {
    const { status, output } = promtool('test', 'rules', path.join(ROOT, TESTS, file));
    expect({ status, output }).toMatchObject({ status: 0 });
  });

  it.each([
    ['a longer time', 'leases.test.yml', 'for: 2m', 'for: 2m15s'],
    ['a shorter time', 'leases.test.yml', 'for: 2m', 'for: 1m45s'],
    ['another threshold', 'leases.test.yml', '[5m])) > 2', '[5m])) > 3'],
    ['another text', 'leases.test.yml', 'has lost lease', 'lost lease'],
  ])('O3: %s than the tests say is noticed', (_, file, from, to) => {
    const rules = readFileSync(path.join(ROOT, RULES), 'utf8');
    expect(rules).toContain(from);
    writeFileSync(path.join(copy, RULES), rules.replaceAll(from, to));
    const { status, output } = promtool('test', 'rules', path.join(copy, TESTS, file));
    expect({ status, output }).toMatchObject({
      status: 1,
      output: expect.stringContaining('FAILED') as string,
    });
  });
});
