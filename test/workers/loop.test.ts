import { describe, expect, it } from 'vitest';
import { workLoop } from '../../src/workers/loop.js';
import { started } from './support.js';

describe('workLoop', () => {
  it('D4: runs while ready, waits when idle or after an error, and ends with the drain', async () => {
    const { health, clock, since, events } = await started();
    const rounds: number[] = [];
    const begun = since();
    workLoop(health, 'mail', async () => {
      rounds.push(since() - begun);
      if (rounds.length === 2) throw new Error('smtp');
      return 'idle';
    });
    await clock.advance(2500);
    expect(rounds).toEqual([0, 1000, 2000]);
    expect(events('work_loop_error')).toHaveLength(1);
    health.maintenance(true);
    await clock.advance(10_000);
    expect(rounds).toHaveLength(3);
    health.maintenance(false);
    await clock.advance(1000);
    expect(rounds).toHaveLength(4);
    const drained = health.shutdown();
    await clock.advance(10);
    expect(await drained).toMatchObject({ exitCode: 0 });
    await clock.advance(10_000);
    expect(rounds).toHaveLength(4);
    await health.dispose();
    expect(clock.pendingTimers).toBe(0);
  });

  it('L4: a round that hangs is found; the signal tells it to give up before the deadline', async () => {
    const { health, clock } = await started();
    let aborted = false;
    const hang = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          resolve();
        });
      });
    workLoop(health, 'mail', hang, { stallAfterMs: 5000 });
    await clock.advance(10_000);
    const { body } = await health.handle({ url: '/livez' });
    expect(body).toContain('progress_stalled:mail');
    const drained = health.shutdown();
    await clock.advance(23_000);
    expect(aborted).toBe(true);
    expect(await drained).toMatchObject({ exitCode: 0 });
    await health.dispose();
  });
});
