import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HealthOptions } from '../../src/core/health-options.js';
import { checkKnownCheckOptions, checkKnownOptions } from '../../src/core/known-options.js';
import { createHealth } from '../../src/index.js';

/** What JavaScript lets through. */
function given(options: object): HealthOptions {
  return options as HealthOptions;
}

describe('known options', () => {
  it.each([
    [{ livenes: {} }, 'livenes is no option; did you mean liveness?'],
    [{ Version: '1' }, 'Version is no option; did you mean version?'],
    [{ colour: 'red' }, 'colour is no option'],
    [
      { liveness: { stallAfter: 1 } },
      'liveness.stallAfter is no option; did you mean stallAfterMs?',
    ],
    [{ shutdown: { deadline: 1 } }, 'shutdown.deadline is no option; did you mean deadlineMs?'],
    [{ diagnostic: { tokn: 'x' } }, 'diagnostic.tokn is no option; did you mean token?'],
    [{ capacity: { leaveAt: 1, reenterAtt: 2 } }, 'did you mean reenterAt?'],
  ])('refuses %j', (options, text) => {
    expect(() => createHealth(given(options))).toThrow(text);
  });

  it('names the code, and never more than the beginning of a long key', () => {
    const refused = expect.objectContaining({ code: 'HALE_OPTION_INVALID' });
    expect(() => createHealth(given({ ['x'.repeat(10_000)]: 1 }))).toThrow(refused);
    expect(() => createHealth(given({ ['x'.repeat(10_000)]: 1 }))).toThrow(/^.{0,150}$/);
  });

  it('takes what is set to undefined, and false for a listener', () => {
    const options = given({ colour: undefined, probes: false, diagnostic: false });
    expect(() => checkKnownOptions(options)).not.toThrow();
  });

  it('refuses a misspelled option of a check, with its name', () => {
    const run = () => {};
    const create = (check: object) => () =>
      createHealth(given({ checks: { database: { run, ...check } } }));
    expect(create({ interval: 1 })).toThrow(
      'checks.database.interval is no option; did you mean intervalMs?',
    );
    expect(create({ impct: 'optional' })).toThrow('did you mean impact?');
  });

  it('lets a check have fields of its own', () => {
    class PoolCheck {
      readonly pool = {};
      readonly name = 'database';
      readonly node = 'a';
      state = 'open';
      started = false;
      disposed = false;
      readonly timeout = 1;
      run(): void {}
    }
    expect(() => checkKnownCheckOptions('checks.database', new PoolCheck())).not.toThrow();
  });

  it('never takes a known option for unknown, nor throws anything else', () => {
    const refusal = (key: string, value: unknown): unknown => {
      try {
        return checkKnownOptions(given({ [key]: value }));
      } catch (error) {
        return error;
      }
    };
    const allowed = expect.objectContaining({ code: 'HALE_OPTION_INVALID' });
    fc.assert(
      fc.property(fc.string(), fc.anything(), (key, value) => {
        expect([undefined, allowed]).toContainEqual(refusal(key, value));
      }),
    );
  });
});
