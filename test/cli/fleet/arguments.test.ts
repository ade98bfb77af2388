import { describe, expect, it } from 'vitest';
import { parseFleetArguments } from '../../../src/cli/fleet/arguments.js';

const parse = (args: readonly string[], env: Record<string, string> = {}) =>
  parseFleetArguments(args, env);

const DEFAULTS = {
  url: 'memory:',
  prefix: '',
  watch: false,
  json: false,
  expect: 1,
  timeoutMs: 5000,
};

describe('the arguments of hale fleet', () => {
  it.each([
    [['memory:'], {}],
    [['memory:', '--watch', '--json'], { watch: true, json: true }],
    [['--prefix', 'orders/', 'memory:', '-w'], { prefix: 'orders/', watch: true }],
    [['memory:', '--page'], { page: 9402 }],
    [['--page', 'memory:'], { page: 9402 }],
    [['memory:', '--page', '0', '--watch'], { page: 0, watch: true }],
    [['memory:', '--page=8080'], { page: 8080 }],
    [['memory:', '--expect', '12', '--timeout=100'], { expect: 12, timeoutMs: 100 }],
  ])('H7: %j', (args, expected) => {
    expect(parse(args)).toEqual({ kind: 'run', call: { ...DEFAULTS, ...expected } });
  });

  it('H7: take the URL from the environment, where no list of processes shows it', () => {
    expect(parse([], { HALE_LEASE_URL: 'memory:' })).toEqual({ kind: 'run', call: DEFAULTS });
  });

  it('H7: ask for help', () => {
    expect(parse(['--help'])).toEqual({ kind: 'help' });
    expect(parse(['memory:', '-h'])).toEqual({ kind: 'help' });
  });

  it.each([
    [[], /a URL is needed, or HALE_LEASE_URL/],
    [['a:', 'b:'], /one URL only/],
    [['a:', '--page=x'], /--page must be a whole number from 0 to 65535, got "x"/],
    [['a:', '--page=70000'], /--page/],
    [['a:', '--expect', '-1'], /--expect|ambiguous/],
    [['a:', '--timeout', '0'], /--timeout must be a whole number from 1/],
    [['a:', '--what'], /--what/],
  ])('H7: %j is not understood', (args, problem) => {
    expect(parse(args)).toMatchObject({ kind: 'usage', problem: expect.stringMatching(problem) });
  });
});
