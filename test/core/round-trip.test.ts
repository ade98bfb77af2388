import { describe, expect, it } from 'vitest';
import { createRoundTrip } from '../../src/core/round-trip.js';

/** A client whose questions are answered by hand. */
function setUp() {
  const questions: { answer: () => void; refuse: () => void }[] = [];
  const roundTrip = createRoundTrip(
    () =>
      new Promise<void>(
        (resolve, reject) =>
          void questions.push({ answer: resolve, refuse: () => reject(new Error('gone')) }),
      ),
  );
  const client = {};
  const ask = (of: object = client) => {
    const controller = new AbortController();
    const state = { settled: 'no' };
    const run = roundTrip(of, controller.signal, () => new Error('no answer'));
    run.then(
      () => void (state.settled = 'answered'),
      (error: Error) => void (state.settled = error.message),
    );
    return { state, abort: () => controller.abort(), run };
  };
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { questions, ask, settle, roundTrip };
}

describe('createRoundTrip', () => {
  it('C7: asks and waits for the answer', async () => {
    const { questions, ask, settle } = setUp();
    const { state } = ask();
    await settle();
    expect(state.settled).toBe('no');
    questions[0]?.answer();
    await settle();
    expect(state.settled).toBe('answered');
  });

  it('C2: ends with the signal, and holds one question however often it is asked meanwhile', async () => {
    const { questions, ask, settle } = setUp();
    for (let run = 0; run < 5; run += 1) {
      const { state, abort } = ask();
      await settle();
      abort();
      await settle();
      expect(state.settled).toBe('no answer');
    }
    expect(questions).toHaveLength(1);
  });

  it('C7: a late answer to an old question is none to the next one', async () => {
    const { questions, ask, settle } = setUp();
    ask().abort();
    await settle();
    const { state } = ask();
    questions[0]?.answer();
    await settle();
    expect([state.settled, questions.length]).toEqual(['no', 2]);
    questions[1]?.answer();
    await settle();
    expect(state.settled).toBe('answered');
  });

  it('C5: asks anew after the client gave up the old question', async () => {
    const { questions, ask, settle } = setUp();
    ask().abort();
    await settle();
    const { state } = ask();
    questions[0]?.refuse();
    await settle();
    questions[1]?.refuse();
    await settle();
    expect(state.settled).toBe('gone');
  });

  it('C4: runs that overlap ask one after the other', async () => {
    const { questions, ask, settle } = setUp();
    const states = [ask(), ask(), ask()].map(({ state }) => state);
    for (const count of [1, 2, 3]) {
      await settle();
      expect(questions).toHaveLength(count);
      questions[count - 1]?.answer();
    }
    await settle();
    expect(states.map(({ settled }) => settled)).toEqual(['answered', 'answered', 'answered']);
  });

  it('C4: another client is not waited for', async () => {
    const { questions, ask, settle } = setUp();
    ask().abort();
    const { state } = ask({});
    await settle();
    questions[1]?.answer();
    await settle();
    expect(state.settled).toBe('answered');
  });

  it('C2: asks nothing when the signal has aborted already, and turns a throw into a rejection', async () => {
    let asked = 0;
    const roundTrip = createRoundTrip(() => {
      asked += 1;
      throw new Error('closed');
    });
    const noAnswer = () => new Error('no answer');
    await expect(roundTrip({}, AbortSignal.abort(), noAnswer)).rejects.toThrow(/aborted/);
    expect(asked).toBe(0);
    const { signal } = new AbortController();
    await expect(roundTrip({}, signal, noAnswer)).rejects.toThrow('closed');
    expect(asked).toBe(1);
  });
});
