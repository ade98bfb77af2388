import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createReservedConnection } from '../../src/core/reserved-connection.js';

interface Fake {
  id: number;
  lose: () => void;
  destroyed: number;
}

function setup(options: { connect?: (fake: Fake) => Promise<unknown> } = {}) {
  const created: Fake[] = [];
  const reserved = createReservedConnection<Fake>({
    create: (onLost) => {
      const fake = { id: created.length, lose: onLost, destroyed: 0 };
      created.push(fake);
      return fake;
    },
    connect: options.connect ?? (() => Promise.resolve()),
    destroy: (fake) => {
      fake.destroyed += 1;
    },
  });
  const open = () => created.filter(({ destroyed }) => destroyed === 0);
  return { created, reserved, open };
}

const never = () => new Promise<never>(() => {});
const pass = () => Promise.resolve();
const { signal } = new AbortController();

describe('createReservedConnection', () => {
  it('C7: opens one connection and keeps it', async () => {
    const { created, reserved } = setup();
    for (let run = 0; run < 5; run += 1) await reserved.use(pass, signal);
    expect(created).toHaveLength(1);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('destroys the connection on an error, once, and opens a new one next time', async () => {
    const { created, reserved, open } = setup();
    const failure = reserved.use(() => Promise.reject(new Error('boom')), signal);
    await expect(failure).rejects.toThrow('boom');
    created[0]?.lose();
    expect(created[0]?.destroyed).toBe(1);
    await reserved.use(pass, signal);
    expect(open().map(({ id }) => id)).toEqual([1]);
  });

  it.each([
    ['connecting', never, pass],
    ['working', pass, never],
  ])('C2: settles on abort while %s hangs, having destroyed it', async (_, connect, work) => {
    const { reserved, open } = setup({ connect });
    const controller = new AbortController();
    const run = reserved.use(work, controller.signal);
    await Promise.resolve();
    controller.abort(new Error('too late'));
    await expect(run).rejects.toThrow('too late');
    expect(open()).toHaveLength(0);
  });

  it('does not start the work when connecting ends after the abort', async () => {
    let connected = () => {};
    const { reserved } = setup({
      connect: () => new Promise<void>((resolve) => (connected = resolve)),
    });
    const controller = new AbortController();
    let worked = false;
    const run = reserved.use(async () => {
      worked = true;
    }, controller.signal);
    controller.abort(new Error('too late'));
    await expect(run).rejects.toThrow('too late');
    connected();
    await new Promise((resolve) => setImmediate(resolve));
    expect(worked).toBe(false);
  });

  it('replaces a connection that was lost while idle, without a failed use', async () => {
    const { created, reserved, open } = setup();
    await reserved.use(pass, signal);
    created[0]?.lose();
    expect(open()).toHaveLength(0);
    await reserved.use(pass, signal);
    expect(open().map(({ id }) => id)).toEqual([1]);
  });

  it('does not keep a connection that was lost during a use that passed', async () => {
    const { created, reserved, open } = setup();
    await reserved.use(async () => created[0]?.lose(), signal);
    expect(open()).toHaveLength(0);
  });

  it('overlapping uses do not share a connection, and one is left open', async () => {
    const { created, reserved, open } = setup();
    await Promise.all([reserved.use(pass, signal), reserved.use(pass, signal)]);
    expect(created).toHaveLength(2);
    expect(open()).toHaveLength(1);
  });

  it('close ends the kept connection, a use in progress and every later use', async () => {
    const { reserved, open } = setup();
    await reserved.use(pass, signal);
    const hanging = reserved.use(never, signal);
    await Promise.resolve();
    reserved.close();
    await expect(hanging).rejects.toMatchObject({ code: 'HALE_DISPOSED' });
    await expect(reserved.use(pass, signal)).rejects.toMatchObject({ code: 'HALE_DISPOSED' });
    expect(open()).toHaveLength(0);
  });

  it.each([0, 1, 2, 3, 4, 5])(
    'close %i microtasks after the work leaves nothing open',
    async (n) => {
      const { reserved, open } = setup();
      let finish = () => {};
      const run = reserved.use(() => new Promise<void>((resolve) => (finish = resolve)), signal);
      await new Promise((resolve) => setImmediate(resolve));
      finish();
      for (let tick = 0; tick < n; tick += 1) await Promise.resolve();
      reserved.close();
      await run.catch(() => {});
      expect(open()).toHaveLength(0);
    },
  );

  it('close ends an idle connection', async () => {
    const { reserved, open } = setup();
    await reserved.use(pass, signal);
    reserved.close();
    reserved.close();
    expect(open()).toHaveLength(0);
  });
});
