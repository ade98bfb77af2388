import { describe, expect, it } from 'vitest';
import { createStatusAnswers } from '../../../src/probe/diagnosis/status-route.js';
import { createDiagnosisKit } from './diagnosis-kit.js';

describe('the report', () => {
  it('E4: asked for by many at the same time is made once, and anew for whoever comes later', async () => {
    const kit = await createDiagnosisKit();
    let made = 0;
    const answer = createStatusAnswers({
      source: kit,
      pace: kit.pace,
      diagnosis: {
        document(what) {
          made += 1;
          return kit.late.document(what);
        },
      },
    });
    const query = new URLSearchParams();
    const asked = { accept: undefined, query };
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => answer(asked)));
    expect(made).toBe(1);
    expect(others.every((each) => each === first)).toBe(true);
    await answer(asked);
    expect(made).toBe(2);
    const [json, page, short] = await Promise.all([
      answer(asked),
      answer({ accept: 'text/html', query }),
      answer({ accept: undefined, query: new URLSearchParams('history=none') }),
    ]);
    expect(made).toBe(5);
    expect(json.body).toMatch(/^\{/);
    expect(page.body).toMatch(/^<!doctype html>/);
    expect(short.headers).toStrictEqual(json.headers.with(3, short.headers[3] ?? ''));
  });
});
