import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { sharedState } from '../../src/core/shared-state.js';

/** A module as a second copy of the package has it. */
async function copyOf<T>(load: () => Promise<T>): Promise<T> {
  vi.resetModules();
  return load();
}

describe('shared state', () => {
  it('is made once for the process, by name', () => {
    const first = sharedState('test-a', () => new Map());
    expect(sharedState('test-a', () => new Map())).toBe(first);
    expect(sharedState('test-b', () => new Map())).not.toBe(first);
  });

  it('lets two copies of the package take back each other’s replacements in any order', async () => {
    const one = await copyOf(() => import('../../src/core/replace-method.js'));
    const two = await copyOf(() => import('../../src/core/replace-method.js'));
    expect(one.replaceMethod).not.toBe(two.replaceMethod);
    const target = { say: () => 'plain' };
    const plain = target.say;
    const backOne = one.replaceMethod(target, 'say', (before) => () => `one(${before()})`);
    const backTwo = two.replaceMethod(target, 'say', (before) => () => `two(${before()})`);
    expect(target.say()).toBe('two(one(plain))');
    backOne();
    expect(target.say()).toBe('two(plain)');
    backTwo();
    expect(target.say).toBe(plain);
  });

  it('lets two copies of the package wait for responses of one connection with one listener', async () => {
    const one = await copyOf(() => import('../../src/core/response-over.js'));
    const two = await copyOf(() => import('../../src/core/response-over.js'));
    const socket = new EventEmitter();
    const response = () =>
      Object.assign(new EventEmitter(), { req: { httpVersionMajor: 1, socket } });
    const over: string[] = [];
    one.onceOver(response(), () => over.push('one'));
    two.onceOver(response(), () => over.push('two'));
    expect(socket.listenerCount('close')).toBe(1);
    socket.emit('close');
    expect(over).toStrictEqual(['one', 'two']);
  });
});
