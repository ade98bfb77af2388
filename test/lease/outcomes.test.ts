import { describe, expect, it } from 'vitest';
import { LEASE_OUTCOMES, type LeaseOutcome } from '../../src/core/lease-host.js';
import { holdLease, setUpLease } from './support.js';

type Stage = ReturnType<typeof setUpLease>;
type Scenario = () => Promise<Stage>;

const call = ({ clock }: Stage) => ({ clock, signal: new AbortController().signal });

/** Held by somebody else from the beginning. */
async function deny(): Promise<Stage> {
  const set = setUpLease();
  await set.inner.acquire({ name: 'orders', holder: 'b', ttlMs: 60_000, data: '' }, call(set));
  set.lease.start(set.context);
  await set.clock.advance(1);
  return set;
}

/** Held, and then taken away behind its back. */
async function takeAway(): Promise<Stage> {
  const set = await holdLease();
  await set.inner.release({ name: 'orders', holder: set.lease.holder, token: 1n }, call(set));
  return set;
}

async function hold(fault: Stage['control']['fault'], ms: number): Promise<Stage> {
  const set = await holdLease();
  set.control.fault = fault;
  await set.clock.advance(ms);
  return set;
}

async function release(set: Stage): Promise<Stage> {
  await set.lease.release();
  return set;
}

async function refuse(set: Stage): Promise<Stage> {
  await set.clock.advance(10_001);
  return set;
}

/** A grant that comes when nobody waits for it any more. */
async function late(): Promise<Stage> {
  const set = setUpLease();
  set.control.fault = 'hang';
  set.lease.start(set.context);
  await set.clock.advance(5000);
  for (const answer of set.control.answer) answer();
  await set.clock.advance(1);
  return set;
}

/** Granted again by a registry that has forgotten its tokens. */
async function regress(): Promise<Stage> {
  const forgetful = {
    ...setUpLease().store,
    acquire: async () => ({ kind: 'granted' as const, token: 5n, ttlMs: 30_000 }),
    renew: async () => ({ kind: 'lost' as const, owner: {} }),
  };
  const set = await holdLease({ store: forgetful, onLost: 'pause', fence: () => {} });
  await set.clock.advance(13_000);
  return set;
}

/** How each comes about, and what the log says of it; a renewal as usual is no news, and a late answer was given up before. */
const SCENARIOS: Readonly<Record<LeaseOutcome, readonly [Scenario, event: string | undefined]>> = {
  granted: [holdLease, 'lease_granted'],
  denied: [deny, 'lease_denied'],
  renewed: [() => hold('ok', 15_000), undefined],
  refused: [async () => refuse(await takeAway()), 'lease_lost'],
  timeout: [() => hold('hang', 15_000), 'lease_renew_failed'],
  error: [() => hold('fail', 11_000), 'lease_renew_failed'],
  late: [late, 'lease_acquire_failed'],
  regressed: [regress, 'lease_token_regressed'],
  released: [async () => release(await holdLease()), 'lease_released'],
  not_held: [async () => release(await takeAway()), 'lease_not_held'],
};

describe('the outcomes of attempts', () => {
  it.each(LEASE_OUTCOMES)('O1, O2: "%s" is counted, and told if it is news', async (outcome) => {
    const [play, event] = SCENARIOS[outcome];
    const set = await play();
    expect(set.lease.view().outcomes[outcome]).toBeGreaterThan(0);
    expect(set.events().filter((each) => each === event)).toHaveLength(event === undefined ? 0 : 1);
    set.lease.stop();
  });
});
