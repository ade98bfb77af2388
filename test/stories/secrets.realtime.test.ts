import { afterEach, describe, expect, it } from 'vitest';
import type { BoundAddress } from '../../src/core/probe-host.js';
import { type ChildProgram, startChild } from './child-program.js';

const SECRETS = [
  'hunter2-and-more',
  'eyToken.abc123.def456',
  'AKIAIOSFODNN7EXAMPLE',
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
];
const [PASSWORD, BEARER, ACCESS_KEY, SECRET_KEY] = SECRETS;
const TEXT =
  `cannot reach postgres://app:${PASSWORD}@db.internal:5432/orders, ` +
  `Authorization: Bearer ${BEARER}, key ${ACCESS_KEY} secret ${SECRET_KEY}`;
const PATHS = [
  '/livez',
  '/readyz',
  '/startupz',
  '/readyz?verbose',
  '/readyz/database?verbose',
  '/metrics',
  '/healthz/status',
];

let program: ChildProgram;
afterEach(() => void program.child.kill('SIGKILL'));

describe('E7: an error text with a password, a bearer token and an access key', () => {
  it('E3: appears in no body and in no log line', async () => {
    program = startChild('secrets', [TEXT]);
    const { addresses } = await program.message('listening');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const bodies: string[] = [];
    const readAll = async (): Promise<void> => {
      for (const { port } of addresses as BoundAddress[]) {
        for (const path of PATHS)
          bodies.push(await (await fetch(`http://127.0.0.1:${port}${path}`)).text());
      }
    };
    await readAll();
    const fatal = program.message('fatal');
    program.child.send('fatal');
    await fatal;
    await readAll();
    program.child.kill('SIGTERM');
    expect((await program.ended).code).toBe(1);

    const all = [...bodies, program.output()].join('\n');
    // The text itself must have come through, or its absence would prove nothing.
    expect(bodies.join('\n')).toContain('check_failed:database');
    expect(bodies.join('\n')).toContain('cannot reach postgres://');
    expect(program.output()).toContain('cannot reach postgres://');
    expect(SECRETS.filter((secret) => all.includes(secret))).toStrictEqual([]);
  });
});
