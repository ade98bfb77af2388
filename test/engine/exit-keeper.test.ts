import { describe, expect, it } from 'vitest';
import { decide } from '../../src/core/decision.js';
import type { ExitAnswer } from '../../src/core/exit-permit.js';
import { DOWN, FINE, SHARED, createAnswers, goDown, setUp } from './exit-keeper-kit.js';

describe('exit keeper', () => {
  it('R10: an instance that was never in rotation needs no permit to stay out', async () => {
    const { permits, asked } = createAnswers();
    const { clock, look, states } = setUp(permits);
    look(decide(['check_failed:database'], []), SHARED);
    await clock.advance(10_000);
    expect([asked, states]).toEqual([[], []]);
    look(FINE);
    expect(states).toEqual([[10_000, 'needed']]);
  });

  it('R10: whoever is answered at once leaves at once', () => {
    const { permits, asked } = createAnswers();
    const { states } = goDown(permits);
    expect(states.map(([, state]) => state)).toEqual(['needed', 'asked', 'granted']);
    expect(asked).toEqual(SHARED);
  });

  it('R10: the first question is spread, so that a fleet does not ask as one', async () => {
    const { permits, asked } = createAnswers({ spreadMs: 500 });
    const { clock, state } = goDown(permits);
    await clock.advance(249);
    expect([asked.length, state()]).toEqual([0, 'asked']);
    await clock.advance(1);
    expect([asked.length, state()]).toEqual([1, 'granted']);
  });

  it('R10: one that is refused stays, asks again, and leaves when a permit is free', async () => {
    const { permits, asked, next } = createAnswers();
    next.answer = () => ({ kind: 'refused', askAgainMs: 700 });
    const { clock, state, events, counts } = goDown(permits);
    await clock.advance(1500);
    expect([asked.length, state(), events()]).toEqual([3, 'refused', ['stays_in_rotation']]);
    next.answer = () => ({ kind: 'granted' });
    await clock.advance(700);
    expect([state(), events()]).toEqual(['granted', ['stays_in_rotation', 'exit_permit_granted']]);
    expect(counts()).toMatchObject({ refused: 3, granted: 1 });
  });

  it('R10: a permit is renewed, and given back when it was not needed for a while', async () => {
    const { permits, asked, given, next } = createAnswers({ keepMs: 5000 });
    const { clock, look, state, counts } = setUp(permits);
    next.answer = () => ({ kind: 'granted', until: clock.now() + 9000, askAgainMs: 3000 });
    look(FINE);
    look(DOWN, SHARED);
    await clock.advance(10_000);
    expect([asked.length, state()]).toEqual([4, 'granted']);
    look(FINE);
    await clock.advance(4999);
    expect([given.back, state()]).toEqual([0, 'granted']);
    await clock.advance(1);
    expect([given.back, state()]).toEqual([1, 'needed']);
    expect(counts()).toMatchObject({ granted: 1, kept: 4, given_back: 1 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('R10: a dependency that flaps is asked for once', async () => {
    const { permits, asked, given } = createAnswers({ keepMs: 5000 });
    const { clock, look, state } = goDown(permits);
    for (let flap = 0; flap < 5; flap += 1) {
      look(FINE);
      await clock.advance(2000);
      look(DOWN, SHARED);
      await clock.advance(2000);
    }
    expect([asked.length, given.back, state()]).toEqual([1, 0, 'granted']);
  });

  it('R10: a permit that is refused when it is renewed puts the instance back in rotation at once', async () => {
    const { permits, next } = createAnswers();
    const { clock, look, state, events } = setUp(permits);
    next.answer = () => ({ kind: 'granted', until: clock.now() + 9000, askAgainMs: 3000 });
    look(FINE);
    look(DOWN, SHARED);
    next.answer = () => ({ kind: 'refused' });
    await clock.advance(3000);
    expect(state()).toBe('refused');
    expect(events()).toEqual(['exit_permit_granted', 'exit_permit_lost']);
  });

  it.each([
    ['stay', 'refused'],
    ['leave', 'granted'],
  ] as const)(
    'R10: while nobody answers the permit lasts to its end; then the fallback "%s" applies',
    async (fallback, then) => {
      const { permits, next } = createAnswers({ fallback });
      const { clock, look, state, counts } = setUp(permits);
      next.answer = () => ({ kind: 'granted', until: clock.now() + 9000, askAgainMs: 3000 });
      look(FINE);
      look(DOWN, SHARED);
      next.answer = () => Promise.reject(new Error('connection refused'));
      await clock.advance(8999);
      expect(state()).toBe('granted');
      await clock.advance(1);
      expect(state()).toBe(then);
      expect(counts()).toMatchObject({ granted: 1, failed: 6 });
      // The registry is back, and says no: then even the one that left by the fallback comes back.
      next.answer = () => ({ kind: 'refused' });
      await clock.advance(1000);
      expect(state()).toBe('refused');
    },
  );

  it('R10: without an answer within 2 s the fallback applies, and the next question is asked', async () => {
    const { permits, asked, next } = createAnswers();
    next.answer = () => new Promise(() => {});
    const { clock, state, events } = goDown(permits);
    await clock.advance(1999);
    expect(state()).toBe('asked');
    await clock.advance(1);
    expect([state(), events()]).toEqual(['refused', ['may_leave_failed']]);
    await clock.advance(1000);
    expect(asked).toHaveLength(2);
  });

  it('R10: an answer that comes after the reason has gone is given back', async () => {
    const { permits, given, next } = createAnswers();
    let answer: (value: ExitAnswer) => void = () => {};
    next.answer = () => new Promise((resolve) => (answer = resolve));
    const { clock, look, state } = goDown(permits);
    look(FINE);
    answer({ kind: 'granted' });
    await clock.advance(1);
    expect([state(), given.back]).toEqual(['needed', 1]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('R10: a renewal that is answered after the permit was given back grants nothing', async () => {
    const { permits, asked, given, next } = createAnswers({ keepMs: 1500 });
    const { clock, look, state, counts } = setUp(permits);
    next.answer = () => ({ kind: 'granted', until: clock.now() + 9000, askAgainMs: 3000 });
    look(FINE);
    look(DOWN, SHARED);
    await clock.advance(2000);
    look(FINE);
    let answer: (value: ExitAnswer) => void = () => {};
    next.answer = () => new Promise((resolve) => (answer = resolve));
    // The renewal is under way when the permit has not been needed for long enough.
    await clock.advance(1500);
    expect([asked.length, given.back, state()]).toEqual([2, 1, 'needed']);
    answer({ kind: 'granted', until: clock.now() + 9000, askAgainMs: 3000 });
    await clock.settle();
    expect([state(), clock.pendingTimers]).toEqual(['needed', 0]);
    expect(counts()).toMatchObject({ granted: 1, kept: 0, given_back: 1 });
    next.answer = () => ({ kind: 'refused' });
    look(DOWN, SHARED);
    expect([asked.length, state()]).toEqual([3, 'refused']);
  });

  it.each([undefined, {}, { kind: 'yes' }, 'granted'])(
    'R10: an answer that is none counts as none, at once or later: %j',
    async (none) => {
      for (const answer of [none, Promise.resolve(none)] as unknown[]) {
        const { permits, next } = createAnswers();
        next.answer = () => answer as ExitAnswer;
        const { clock, state, events } = goDown(permits);
        await clock.settle();
        expect([state(), events()]).toEqual(['refused', ['may_leave_failed']]);
      }
    },
  );

  it('R10: a process on its way out asks for none, keeps what it has, and gives it back at the end', async () => {
    const { permits, asked, given, next } = createAnswers();
    const { clock, look, state, keeper } = setUp(permits);
    next.answer = () => ({ kind: 'granted', until: clock.now() + 9000, askAgainMs: 3000 });
    look(FINE);
    look(decide(['draining', 'check_failed:database'], []), SHARED);
    expect([asked.length, state()]).toEqual([0, 'needed']);
    look(DOWN, SHARED);
    look(decide(['draining', 'check_failed:database'], []), SHARED);
    await clock.advance(6000);
    expect([asked.length, given.back, state()]).toEqual([3, 0, 'granted']);
    await keeper.end();
    await keeper.end();
    expect(given).toEqual({ back: 1, closed: 1 });
    look(DOWN, SHARED);
    await clock.advance(10_000);
    expect([asked.length, clock.pendingTimers]).toEqual([3, 0]);
  });

  it('R10: ends in bounded time when the permit cannot be given back', async () => {
    const hanging = createAnswers({ giveBack: () => new Promise(() => {}) });
    const first = goDown(hanging.permits);
    const ended = first.keeper.end();
    await first.clock.advance(1000);
    await ended;
    const failing = createAnswers({ giveBack: () => Promise.reject(new Error('gone')) });
    const second = goDown(failing.permits);
    await second.keeper.end();
    for (const { events, clock } of [first, second]) {
      expect(events().at(-1)).toBe('exit_permit_kept');
      expect(clock.pendingTimers).toBe(0);
    }
  });

  it('R10: a question that is under way at the end leaves nothing behind', async () => {
    const { permits, given, next } = createAnswers();
    let answer: (value: ExitAnswer) => void = () => {};
    next.answer = () => new Promise((resolve) => (answer = resolve));
    const { clock, keeper, state } = goDown(permits);
    await keeper.end();
    answer({ kind: 'granted' });
    await clock.advance(5000);
    expect([state(), given.back, clock.pendingTimers]).toEqual(['asked', 1, 0]);
  });
});
