import { describe, expect, it } from 'vitest';
import type { ProbeUpdate } from '../../src/core/probe-state.js';
import { createPublisher } from '../../src/engine/publisher.js';
import { createManualClock } from '../../src/testing/manual-clock.js';
import { checkView } from '../core/probe-state-builders.js';
import { check, setUpRegistry } from './support.js';

describe('publisher', () => {
  it('sends all changes of a turn as one update', async () => {
    const { registry, clock, probe, publisher } = setUpRegistry();
    for (let index = 0; index < 50; index += 1) registry.add(check(`c-${index}`, async () => {}));
    publisher.patch({ failingGuards: ['memory'] });
    publisher.patch({ findings: ['pid 1'] });
    await clock.settle();
    expect(probe.updates).toBe(1);
    expect(probe.state).toMatchObject({ failingGuards: ['memory'], findings: ['pid 1'] });
    expect(probe.state.checks.size).toBe(50);
    await registry.dispose();
  });

  it('C3: five thousand checks that change one after another within a moment are one update', async () => {
    const clock = createManualClock();
    const sent: ProbeUpdate[] = [];
    const publish = (update: ProbeUpdate): void => void sent.push(update);
    const publisher = createPublisher({ clock, publish, onError() {} });
    const touchAll = async (): Promise<void> => {
      for (let index = 0; index < 5000; index += 1) {
        publisher.touch(`c-${index}`, () => checkView(`c-${index}`));
        if (index % 100 === 0) await clock.settle();
      }
    };
    await touchAll();
    await clock.advance(100);
    sent.length = 0;
    await touchAll();
    expect(sent).toHaveLength(0);
    await clock.advance(100);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.checks).toHaveLength(5000);
    // What is no result waits for none, and takes them along.
    publisher.touch('c-1', () => checkView('c-1'));
    publisher.patch({ failingGuards: ['memory'] });
    await clock.settle();
    expect(sent[1]).toMatchObject({
      state: { failingGuards: ['memory'] },
      checks: [{ name: 'c-1' }],
    });
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(1000);
    expect(sent).toHaveLength(2);
  });

  it('C3: where most of very many checks were removed, results are gathered no longer', async () => {
    const clock = createManualClock();
    const sent: ProbeUpdate[] = [];
    const publish = (update: ProbeUpdate): void => void sent.push(update);
    const publisher = createPublisher({ clock, publish, onError() {} });
    for (let index = 0; index < 300; index += 1)
      publisher.touch(`c-${index}`, () => checkView(`c-${index}`));
    for (let index = 50; index < 300; index += 1) publisher.remove(`c-${index}`);
    await clock.settle();
    sent.length = 0;
    publisher.touch('c-1', () => checkView('c-1'));
    await clock.settle();
    expect(sent).toMatchObject([{ checks: [{ name: 'c-1' }] }]);
  });

  it('flush sends at once, and then nothing twice', async () => {
    const sent: ProbeUpdate[] = [];
    const publisher = createPublisher({
      publish: (update) => void sent.push(update),
      onError() {},
    });
    publisher.remove('gone');
    publisher.flush();
    expect(sent).toEqual([{ removedChecks: ['gone'] }]);
    await createManualClock().settle();
    expect(sent).toHaveLength(1);
  });

  it('contains a send that fails, and goes on with the next', async () => {
    const sent: ProbeUpdate[] = [];
    const errors: unknown[] = [];
    let fails = true;
    const publisher = createPublisher({
      publish(update) {
        if (fails) throw new Error('thread is gone');
        sent.push(update);
      },
      onError: (error) => void errors.push(error),
    });
    publisher.patch({ findings: ['a'] });
    publisher.flush();
    fails = false;
    publisher.patch({ findings: ['b'] });
    publisher.flush();
    expect(errors).toMatchObject([{ message: 'thread is gone' }]);
    expect(sent).toEqual([{ state: { findings: ['b'] } }]);
  });

  it('keeps a change made by whoever hears of an update', async () => {
    const sent: ProbeUpdate[] = [];
    const publisher = createPublisher({
      publish(update) {
        sent.push(update);
        if (sent.length === 1) publisher.patch({ failingGuards: ['memory'] });
      },
      onError() {},
    });
    publisher.patch({ findings: ['a'] });
    publisher.flush();
    await createManualClock().settle();
    expect(sent).toEqual([
      { state: { findings: ['a'] } },
      { state: { failingGuards: ['memory'] } },
    ]);
  });
});
