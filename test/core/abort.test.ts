import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { untilAborted } from '../../src/core/abort.js';

const never = new Promise<never>(() => {});

describe('untilAborted', () => {
  it('settles as the work does and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('C2: rejects on abort though the work never settles', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(never, controller.signal);
    controller.abort(new Error('late'));
    await expect(waiting).rejects.toThrow('late');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('rejects at once on an aborted signal, with the error of onAbort', async () => {
    const waiting = untilAborted(never, AbortSignal.abort(), () => new Error('mine'));
    await expect(waiting).rejects.toThrow('mine');
  });

  it('drops what the work does after the abort, also a rejection', async () => {
    const controller = new AbortController();
    const work = deferred();
    const waiting = untilAborted(work.promise, controller.signal, () => new Error('aborted'));
    controller.abort();
    work.reject(new Error('afterwards'));
    await expect(waiting).rejects.toThrow('aborted');
  });
});

function deferred() {
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<never>((_, fail) => {
    reject = fail;
  });
  return { promise, reject };
}
