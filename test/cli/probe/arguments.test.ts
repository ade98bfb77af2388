import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../../src/cli/probe/arguments.js';

describe('E6: the arguments of hale probe', () => {
  it('fills in what is not said', () => {
    expect(parseArguments([], { HALE_PORT: '9500' })).toMatchObject({
      kind: 'run',
      call: { timeoutMs: 2000, insecure: false, target: { address: { port: 9500 } } },
    });
  });

  it('takes values with a space and with an equals sign, in any order', () => {
    const expected = { kind: 'run', call: { timeoutMs: 500, insecure: true } };
    expect(parseArguments(['--timeout', '500', 'https://a', '--insecure'], {})).toMatchObject(
      expected,
    );
    expect(parseArguments(['--insecure', 'https://a', '--timeout=500'], {})).toMatchObject(
      expected,
    );
    expect(parseArguments(['--unix=/s', '/livez'], {})).toMatchObject({
      call: { target: { address: { path: '/s' }, path: '/livez' } },
    });
  });

  it.each([
    [['--timeout'], '--timeout needs a value'],
    [['--timeout', '0'], 'from 1 to 600000, got "0"'],
    [['--timeout', '1s'], 'got "1s"'],
    [['--unix='], '--unix needs a value'],
    [['--verbose'], 'unknown option --verbose'],
    [['a:1', 'b:2'], 'one target only, got "a:1" and "b:2"'],
    [['nonsense'], '"nonsense" is not http://'],
  ])('%s is not understood', (args, problem) => {
    const parsed = parseArguments(args, {});
    expect(parsed).toEqual({ kind: 'usage', problem: expect.stringContaining(problem) });
  });

  it('shows help whatever else is said', () => {
    expect(parseArguments(['--nonsense', '--help'], {})).toEqual({ kind: 'help' });
  });
});
