type Method = (this: unknown, ...args: never[]) => unknown;

/**
 * Puts another function in the place of a method. The returned function puts back what was there; where somebody else
 * has replaced it again meanwhile, theirs stays and this one only passes calls on.
 */
export function replaceMethod<T extends object, K extends keyof T>(
  target: T,
  name: K,
  replacement: (before: T[K]) => T[K],
): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(target, name);
  const before = target[name];
  const after = replacement(before);
  let active = true;
  const calling = function call(this: unknown, ...args: never[]): unknown {
    return Reflect.apply((active ? after : before) as Method, this, args);
  } as T[K];
  keepLength(calling as Method, before as Method);
  target[name] = calling;
  return () => {
    active = false;
    if (target[name] !== calling) return;
    if (descriptor === undefined) delete (target as Partial<T>)[name];
    else Object.defineProperty(target, name, descriptor);
  };
}

/** Gives a function in front of another the other's `length`: `Deno.serve` hands over only what a handler declares. */
export function keepLength(
  front: { readonly length: number },
  behind: { readonly length: number },
): void {
  Object.defineProperty(front, 'length', { value: behind.length, configurable: true });
}
