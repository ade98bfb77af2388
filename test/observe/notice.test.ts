import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NoticeState, nextNotice, quietNotice } from '../../src/observe/notice.js';

const throttleMs = 1000;

function run(steps: readonly (readonly [now: number, bad: boolean])[]) {
  let state: NoticeState = quietNotice;
  const told: string[] = [];
  let lookAt: number | undefined;
  for (const [now, bad] of steps) {
    const step = nextNotice(state, { bad, now, throttleMs });
    ({ state, lookAt } = { lookAt: undefined, ...step });
    if (step.tell?.kind === 'problem') told.push(`${now} problem ${step.tell.suppressed}`);
    if (step.tell?.kind === 'recovery') told.push(`${now} recovery ${step.tell.lastedMs}`);
  }
  return { told, lookAt };
}

describe('what is told of a subject', () => {
  it('O4: a problem and its recovery, with how long it lasted', () => {
    const { told } = run([
      [0, false],
      [100, true],
      [200, true],
      [700, false],
    ]);
    expect(told).toStrictEqual(['100 problem 0', '700 recovery 600']);
  });

  it('O4: a problem within the throttle is held back, and so is its recovery', () => {
    const { told } = run([
      [0, true],
      [10, false],
      [20, true],
      [30, false],
      [40, true],
      [50, false],
      [1000, true],
    ]);
    expect(told).toStrictEqual(['0 problem 0', '10 recovery 10', '1000 problem 2']);
  });

  it('O4: a problem that outlasts the throttle is told at its end', () => {
    const steps: [number, boolean][] = [
      [0, true],
      [10, false],
      [20, true],
      [30, false],
      [40, true],
    ];
    expect(run(steps).lookAt).toBe(1000);
    const { told } = run([...steps, [1000, true], [1500, false]]);
    expect(told.slice(2)).toStrictEqual(['1000 problem 1', '1500 recovery 1460']);
  });

  it('O4: any flapping tells at most two things per throttle, and problem and recovery take turns', () => {
    const changes = fc.array(fc.tuple(fc.nat({ max: 300 }), fc.boolean()), { maxLength: 200 });
    fc.assert(
      fc.property(changes, (gaps) => {
        let now = 0;
        const steps = gaps.map(([gap, bad]) => [(now += gap), bad] as const);
        const { told } = run(steps);
        const kinds = told.map((each) => each.split(' ')[1]);
        expect(kinds).toStrictEqual(
          kinds.map((_, index) => (index % 2 === 0 ? 'problem' : 'recovery')),
        );
        expect(told.length).toBeLessThanOrEqual(2 * (Math.floor(now / throttleMs) + 1));
      }),
    );
  });
});
