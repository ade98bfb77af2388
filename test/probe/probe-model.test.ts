import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialProbeState } from '../../src/core/probe-state.js';
import { checkView, startedState } from '../core/probe-state-builders.js';
import { type ModelKit, createModelKit } from './probe-kit.js';

function ask(kit: ModelKit, kind: 'liveness' | 'readiness' | 'startup'): string {
  const { status, body } = kit.model.answer(kind, kit.clock.now());
  return `${status} ${(JSON.parse(body) as { reason: string }).reason}`;
}

describe('the loop watch', () => {
  it('L3: passes while the loop beats', () => {
    const kit = createModelKit();
    kit.run(60_000);
    expect(ask(kit, 'liveness')).toBe('200 ok');
    expect(kit.told).toStrictEqual([]);
  });

  it('L7 L8: fails once the loop has stood still for the bound, and tells before it answers', () => {
    const kit = createModelKit();
    kit.block(900);
    expect(ask(kit, 'liveness')).toBe('200 ok');
    kit.block(100);
    expect(kit.told).toStrictEqual(['liveness event_loop_stalled', 'stall 1000']);
    expect(kit.model.livenessFailures()).toBe(1);
    expect(ask(kit, 'liveness')).toBe('503 event_loop_stalled');
  });

  it('L8: a late tick does not delay the answer: the probe itself looks', () => {
    const kit = createModelKit();
    kit.block(900);
    kit.clock.jump(150);
    expect(ask(kit, 'liveness')).toBe('503 event_loop_stalled');
    expect(kit.told[0]).toBe('liveness event_loop_stalled');
  });

  it('L3: passes again after the stall, and tells how long it lasted', () => {
    const kit = createModelKit();
    kit.block(2500);
    kit.run(100);
    expect(kit.told.at(-1)).toBe('end 2600');
    expect(ask(kit, 'liveness')).toBe('200 ok');
    kit.block(1000);
    expect(kit.model.livenessFailures()).toBe(2);
  });

  it('L3: judges a loop that never beat from the start of the watch', () => {
    const kit = createModelKit();
    kit.board.beatLoop(0);
    kit.model.tick(kit.clock.now());
    kit.block(1000);
    expect(ask(kit, 'liveness')).toBe('503 event_loop_stalled');
  });

  it('L9: a pause of the whole process is no stall, and is written to the board', () => {
    const kit = createModelKit();
    kit.run(1000);
    kit.clock.jump(20_000);
    expect(ask(kit, 'liveness')).toBe('200 ok');
    kit.run(1000);
    expect(kit.told).toStrictEqual([]);
    expect(kit.board.pausedMs()).toBe(19_900);
  });

  it('L9: any mix of running and pauses short of the bound never reports a stall', () => {
    const step = fc.record({
      pause: fc.integer({ min: 0, max: 100_000 }),
      run: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const kit = createModelKit();
        for (const { pause, run } of steps) {
          kit.clock.jump(pause);
          kit.model.tick(kit.clock.now());
          kit.run(run * 100);
        }
        expect(kit.told).toStrictEqual([]);
      }),
    );
  });

  it('L8: cannot judge the loop it runs on, and does not pretend to', () => {
    const kit = createModelKit({ watchesLoop: false });
    kit.block(60_000);
    expect(ask(kit, 'liveness')).toBe('200 ok');
    kit.clock.jump(60_000);
    kit.model.tick(kit.clock.now());
    expect(kit.board.pausedMs()).toBe(0);
  });
});

describe('progress', () => {
  const progress = [{ slot: 3, name: 'orders', stallAfterMs: 2000 }];

  it('L4: fails with the name of the part that stopped, and recovers with its next beat', () => {
    const kit = createModelKit();
    kit.publish(startedState([], { progress }));
    kit.run(1900);
    expect(ask(kit, 'liveness')).toBe('200 ok');
    kit.run(100);
    expect(ask(kit, 'liveness')).toBe('503 progress_stalled:orders');
    kit.board.beatProgress(3, kit.clock.now());
    kit.run(100);
    expect(ask(kit, 'liveness')).toBe('200 ok');
  });

  it('L4: a later change of other parts does not restart the count', () => {
    const kit = createModelKit();
    kit.publish(startedState([], { progress }));
    kit.run(1900);
    const more = [...progress, { slot: 4, name: 'mails', stallAfterMs: 2000 }];
    kit.publish(startedState([], { progress: more }));
    kit.run(100);
    expect(ask(kit, 'liveness')).toBe('503 progress_stalled:orders');
  });

  it('L4: a part that has ended is no longer watched', () => {
    const kit = createModelKit();
    kit.publish(startedState([], { progress }));
    kit.run(2000);
    kit.publish(startedState([], { progress: [] }));
    kit.run(100);
    expect(ask(kit, 'liveness')).toBe('200 ok');
  });

  it('L9: a pause of the process does not count against a part', () => {
    const kit = createModelKit();
    kit.publish(startedState([], { progress }));
    kit.run(1000);
    kit.clock.jump(60_000);
    expect(ask(kit, 'liveness')).toBe('200 ok');
  });
});

describe('answers', () => {
  it('L6: liveness passes while starting, while draining and while a check fails', () => {
    const kit = createModelKit();
    kit.publish(initialProbeState);
    expect(ask(kit, 'liveness')).toBe('200 ok');
    kit.publish(startedState([checkView('database', { verdict: 'fail', freshUntil: 1e9 })]));
    kit.board.setPhase('draining');
    expect(ask(kit, 'liveness')).toBe('200 ok');
    expect(ask(kit, 'readiness')).toBe('503 draining');
  });

  it('R1: draining on the board wins at once, before any message', () => {
    const kit = createModelKit();
    expect(ask(kit, 'readiness')).toBe('200 ok');
    kit.board.setPhase('draining');
    expect(ask(kit, 'readiness')).toBe('503 draining');
    kit.board.setPhase('stopped');
    expect(ask(kit, 'readiness')).toBe('503 stopped');
  });

  it('R3: turns stale on its own, and ends with the next evaluation', () => {
    const kit = createModelKit();
    expect(ask(kit, 'readiness')).toBe('200 ok');
    kit.run(10_000);
    expect(ask(kit, 'readiness')).toBe('503 stale');
    kit.board.setEvaluatedAt(kit.clock.now());
    expect(ask(kit, 'readiness')).toBe('200 ok');
  });

  it('R3: a single expired verdict is stale with its name', () => {
    const kit = createModelKit();
    kit.publish(startedState([checkView('database', { freshUntil: kit.clock.now() + 500 })]));
    expect(ask(kit, 'readiness')).toBe('200 ok');
    kit.run(500);
    expect(ask(kit, 'readiness')).toBe('503 stale:database');
  });

  it('R2: the same bytes are given until something changes', () => {
    const kit = createModelKit();
    const first = kit.model.answer('readiness', kit.clock.now());
    kit.run(5000);
    expect(kit.model.answer('readiness', kit.clock.now())).toBe(first);
    kit.publish(startedState([checkView('cache', { impact: 'degraded', verdict: 'fail' })]));
    expect(kit.model.answer('readiness', kit.clock.now())).not.toBe(first);
  });

  it('R6: warn is 200 with the degraded header, or 503 where configured', () => {
    const cache = checkView('cache', { impact: 'degraded', verdict: 'fail', freshUntil: 1e9 });
    for (const warnStatus of [200, 503] as const) {
      const kit = createModelKit({ warnStatus });
      kit.publish(startedState([cache]));
      const { status, headers, body } = kit.model.answer('readiness', kit.clock.now());
      expect(status).toBe(warnStatus);
      expect(headers[headers.indexOf('X-Service-Status') + 1]).toBe('degraded');
      expect(body).toBe('{"status":"warn","reason":"check_degraded:cache"}');
    }
  });

  it('S2: the start-up body tells how many tasks remain, without their names', () => {
    const kit = createModelKit();
    const startup = { complete: false, timedOut: false, total: 3, remaining: ['prices', 'pool'] };
    kit.publish({ ...initialProbeState, startup });
    const { status, body } = kit.model.answer('startup', kit.clock.now());
    expect(status).toBe(503);
    expect(body).toBe('{"status":"fail","reason":"starting","remaining":2}');
    kit.publish({ ...initialProbeState, startup: { ...startup, timedOut: true } });
    expect(ask(kit, 'startup')).toBe('503 startup_timeout');
  });

  it('L7: counts each answer by probe, reason code and status', () => {
    const kit = createModelKit();
    kit.publish(startedState([checkView('database', { verdict: 'fail', freshUntil: 1e9 })]));
    ask(kit, 'readiness');
    ask(kit, 'readiness');
    ask(kit, 'liveness');
    const { answers } = kit.model.figures(kit.clock.now());
    const counts = answers.filter(([, count]) => count > 0);
    expect(counts).toStrictEqual([
      [{ probe: 'liveness', reason: 'ok', status: '200' }, 1],
      [{ probe: 'readiness', reason: 'check_failed', status: '503' }, 2],
    ]);
  });
});
