import { describe, expect, it } from 'vitest';
import { type AnsweringFigures, withAnswersOf } from '../../src/core/answering-figures.js';

const ok = { probe: 'liveness', reason: 'ok', status: '200' };
const starting = { probe: 'readiness', reason: 'starting', status: '503' };
const figures: AnsweringFigures = {
  answers: [[ok, 2]],
  handled: [['liveness', { counts: [1, 1], sum: 3 }]],
  saying: [['liveness', 'pass', 'ok']],
  notReadyMs: [['starting', 4]],
  livenessFailures: 1,
};

describe('the answers of two sides', () => {
  it('O1: are added up series by series, and nothing else is', () => {
    const other = {
      answers: [
        [ok, 3],
        [starting, 1],
      ] as const,
      handled: [
        ['liveness', { counts: [0, 2], sum: 4 }],
        ['readiness', { counts: [1, 0], sum: 1 }],
      ] as const,
    };
    expect(withAnswersOf(figures, other)).toStrictEqual({
      ...figures,
      answers: [
        [ok, 5],
        [starting, 1],
      ],
      handled: [
        ['liveness', { counts: [1, 3], sum: 7 }],
        ['readiness', { counts: [1, 0], sum: 1 }],
      ],
    });
    expect(figures.answers).toStrictEqual([[ok, 2]]);
  });

  it('O1: are those of one side where the other never answered', () => {
    expect(withAnswersOf(figures, undefined)).toBe(figures);
  });
});
