import { describe, expect, it } from 'vitest';
import { instanceData } from '../../../src/lease/fleet/instance-data.js';
import { names, setUpFleet } from './support.js';

/** So many that beat, and a registry that is settled. */
async function fleetOf(count: number, options: Parameters<typeof setUpFleet>[0] = {}) {
  const all = setUpFleet(options);
  const members = names(count);
  for (const name of members) all.registry.beat(name);
  all.registry.sync();
  await all.beatFor(100_000, members);
  all.take();
  const kinds = () => {
    const counts: Record<string, number> = {};
    for (const event of all.take()) {
      const kind = event.split(' ')[0] ?? '';
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return counts;
  };
  return { ...all, members, kinds };
}

describe('self-preservation of a fleet', () => {
  it('H7: declares down what vanishes one by one, and 15 % at once', async () => {
    const { beatFor, members, kinds } = await fleetOf(20);
    await beatFor(40_000, members.slice(3));
    expect(kinds()).toEqual({ suspect: 3, down: 3 });
  });

  it('H7: holds back down when more than 15 % vanish at once, and tells so', async () => {
    const { fleet, beatFor, members, events, kinds } = await fleetOf(20);
    await beatFor(20_000, members.slice(4));
    await beatFor(20_000, members.slice(4));
    expect(events.find(({ kind }) => kind === 'mass_loss')).toEqual({
      kind: 'mass_loss',
      vanished: 4,
      total: 20,
    });
    expect(kinds()).toEqual({ suspect: 4, mass_loss: 1, withheld: 4 });
    expect(fleet.view()).toMatchObject({
      counts: { up: 16, suspect: 4, down: 0 },
      held: 4,
      massLoss: { vanished: 4, total: 20 },
    });
    expect(fleet.list()[0]).toMatchObject({ state: 'suspect', held: true });
  });

  it('H7: sees the whole loss at the first one that is due, when heartbeats stop reaching it', async () => {
    const { registry, clock, kinds, members } = await fleetOf(40);
    // Spread over ten seconds, as heartbeats are.
    for (const name of members) {
      registry.beat(name);
      await clock.advance(250);
    }
    for (const name of members) {
      registry.beat(name);
      await clock.advance(250);
    }
    kinds();
    await clock.advance(60_000);
    expect(kinds()).toEqual({ suspect: 40, mass_loss: 1, withheld: 40 });
  });

  it('H7: ends once enough have come back, and declares the others down', async () => {
    const { registry, beatFor, members, take } = await fleetOf(20);
    await beatFor(40_000, members.slice(4));
    take();
    registry.beat('a0');
    registry.beat('a1');
    await beatFor(1000, members.slice(4));
    expect(take().toSorted()).toEqual([
      'down a2',
      'down a3',
      'mass_loss_over',
      'recovered a0',
      'recovered a1',
    ]);
  });

  it('H7: takes a loss for real that lasts, or is confirmed by hand', async () => {
    const lasting = await fleetOf(10, { preserve: { holdMs: 60_000 } });
    await lasting.beatFor(70_000, lasting.members.slice(5));
    expect(lasting.kinds()).toEqual({ suspect: 5, mass_loss: 1, withheld: 5 });
    await lasting.beatFor(10_000, lasting.members.slice(5));
    expect(lasting.kinds()).toEqual({ mass_loss_over: 1, down: 5 });

    const byHand = await fleetOf(10);
    byHand.fleet.confirmLoss();
    await byHand.beatFor(40_000, byHand.members.slice(5));
    expect(byHand.kinds()).toMatchObject({ mass_loss: 1, withheld: 5 });
    byHand.fleet.confirmLoss();
    await byHand.beatFor(1000, byHand.members.slice(5));
    expect(byHand.events.find(({ kind }) => kind === 'mass_loss_over')).toMatchObject({
      confirmed: true,
    });
    expect(byHand.kinds()).toEqual({ mass_loss_over: 1, down: 5 });
    expect(byHand.fleet.view()).toMatchObject({ held: 0, counts: { down: 5 } });
  });

  it('H7: takes every loss for real when it is switched off', async () => {
    const { beatFor, members, kinds } = await fleetOf(10, { preserve: false });
    await beatFor(40_000, members.slice(9));
    expect(kinds()).toEqual({ suspect: 9, down: 9 });
  });

  it('H7: does not believe that everybody released its lease in the same second', async () => {
    const { registry, clock, members, kinds, take, beatFor } = await fleetOf(10);
    for (const name of members) registry.free(name);
    await clock.advance(1000);
    expect(kinds()).toEqual({ mass_loss: 1, suspect: 10, withheld: 10 });
    // A registry that was emptied, and filled again by those who live.
    await beatFor(1000, members.slice(1));
    expect(take().filter((event) => !event.startsWith('recovered'))).toEqual([
      'mass_loss_over',
      'left a0',
    ]);
  });

  it('H7: believes those that said they were draining, all at once too', async () => {
    const { registry, clock, members, kinds } = await fleetOf(10);
    const data = instanceData({ phase: 'draining', status: 'fail', reason: 'draining' });
    for (const name of members) registry.beat(name, { data });
    for (const name of members) registry.free(name);
    await clock.advance(1000);
    expect(kinds()).toEqual({ changed: 10, left: 10 });
  });

  it('H7: is never alarmed by one alone, however small the fleet', async () => {
    for (const count of [1, 2, 3]) {
      const { beatFor, members, take } = await fleetOf(count);
      await beatFor(30_000, members.slice(1));
      expect(take()).toEqual(['suspect a0', 'down a0']);
    }
  });
});
