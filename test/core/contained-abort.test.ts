import { EventEmitter, addAbortListener, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createContainedAbort } from '../../src/core/contained-abort.js';

function setUp() {
  const errors: unknown[] = [];
  const controller = createContainedAbort((error) => errors.push((error as Error).message));
  return { controller, signal: controller.signal, errors };
}

function raise(message: string): never {
  throw new Error(message);
}

const rejecting = (() => Promise.reject(new Error('async'))) as () => void;

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('contained abort', () => {
  it('C4: hands over what each kind of listener throws, and calls the others', async () => {
    const { controller, signal, errors } = setUp();
    let called = 0;
    signal.addEventListener('abort', () => raise('function'));
    signal.addEventListener('abort', { handleEvent: () => raise('object') });
    signal.addEventListener('abort', rejecting, { once: true });
    signal.onabort = () => raise('onabort');
    addAbortListener(signal, () => raise('node:events'));
    signal.addEventListener('abort', () => (called += 1));
    controller.abort();
    await turn();
    expect(new Set(errors)).toEqual(
      new Set(['async', 'function', 'node:events', 'object', 'onabort']),
    );
    expect(called).toBe(1);
  });

  it('keeps what an event target promises: removal, one listener once, the signal as this', () => {
    const { controller, signal, errors } = setUp();
    const seen: unknown[] = [];
    const removed = () => raise('removed');
    const listener = function (this: unknown, event: Event) {
      seen.push(this, event.type);
    };
    signal.addEventListener('abort', removed);
    signal.removeEventListener('abort', removed);
    signal.addEventListener('abort', listener);
    signal.addEventListener('abort', listener);
    signal.onabort = () => raise('replaced');
    signal.onabort = null;
    signal.addEventListener('abort', null as never);
    controller.abort(new Error('why'));
    expect(seen).toEqual([signal, 'abort']);
    expect(signal.reason).toEqual(new Error('why'));
    expect(errors).toEqual([]);
  });

  it('ends what Node.js waits for with it', async () => {
    const { controller, signal } = setUp();
    const waiting = once(new EventEmitter(), 'never', { signal });
    const request = fetch('http://127.0.0.1:9/', { signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    await expect(request).rejects.toMatchObject({ name: 'AbortError' });
  });
});
