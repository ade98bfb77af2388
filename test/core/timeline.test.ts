import { describe, expect, it } from 'vitest';
import type { TimelineEntry } from '../../src/core/diagnosis.js';
import { createTimeline } from '../../src/core/timeline.js';

const entry = (name: string, to: string, kind: TimelineEntry['kind'] = 'check') =>
  ({ at: '2026-01-01T00:00:00.000Z', kind, name, to }) as const;

describe('the timeline', () => {
  it('E4: is told newest first, and keeps so many', () => {
    const timeline = createTimeline(3);
    for (const to of ['a', 'b', 'c', 'd']) timeline.add(entry('database', to));
    expect(timeline.newestFirst().map(({ to }) => to)).toStrictEqual(['d', 'c', 'b']);
  });

  it('L7: takes the text that is known later into the last entry of its subject', () => {
    const timeline = createTimeline();
    timeline.add(entry('main loop', 'first', 'stall'));
    timeline.add(entry('main loop', 'second', 'stall'));
    timeline.add(entry('main loop', 'other'));
    timeline.explain('stall', 'main loop', 'blocked by app.js');
    timeline.explain('stall', 'nothing', 'never shown');
    expect(timeline.newestFirst().map(({ to, text }) => [to, text])).toStrictEqual([
      ['other', undefined],
      ['second', 'blocked by app.js'],
      ['first', undefined],
    ]);
  });
});
