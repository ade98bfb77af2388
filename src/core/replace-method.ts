import { sharedState } from './shared-state.js';

type Method = (this: unknown, ...args: never[]) => unknown;

/** One replacement in the place of a method. */
interface Layer {
  active: boolean;
  /** What stood there before as the target's own; `undefined` where it was inherited. */
  below: PropertyDescriptor | undefined;
}

const layers = sharedState('replaced-methods', () => new WeakMap<object, Layer>());

/**
 * Puts another function in the place of a method. The returned function puts back what was there, in whichever order
 * several are taken back; where somebody else has replaced it again meanwhile, theirs stays and this one only passes
 * calls on. A method that was inherited is looked up at each call: tracing may put itself on the prototype late.
 */
export function replaceMethod<T extends object, K extends keyof T>(
  target: T,
  name: K,
  replacement: (before: T[K]) => T[K],
): () => void {
  const own = () => Object.getOwnPropertyDescriptor(target, name);
  const layer: Layer = { active: true, below: standing(own()) };
  const beneath = function pass(this: unknown, ...args: never[]): unknown {
    layer.below = standing(layer.below);
    return Reflect.apply(methodOf(target, name, layer.below), this, args);
  };
  keepLength(beneath, target[name] as Method);
  const after = replacement(beneath as T[K]) as Method;
  const calling = function call(this: unknown, ...args: never[]): unknown {
    return Reflect.apply(layer.active ? after : beneath, this, args);
  };
  keepLength(calling, beneath);
  layers.set(calling, layer);
  target[name] = calling as T[K];
  return () => {
    layer.active = false;
    const found = own();
    const left = standing(found);
    if (left === undefined) delete (target as Partial<T>)[name];
    else if (left !== found) Object.defineProperty(target, name, left);
  };
}

/** What is left of a property without the replacements that were taken back. */
function standing(found: PropertyDescriptor | undefined): PropertyDescriptor | undefined {
  let left = found;
  for (;;) {
    const layer = typeof left?.value === 'function' ? layers.get(left.value) : undefined;
    if (layer === undefined || layer.active) return left;
    left = layer.below;
  }
}

function methodOf(target: object, name: PropertyKey, own: PropertyDescriptor | undefined): Method {
  if (own === undefined) return Reflect.get(Object.getPrototypeOf(target), name, target) as Method;
  return (own.get === undefined ? own.value : Reflect.apply(own.get, target, [])) as Method;
}

/** Gives a function in front of another the other's `length`: `Deno.serve` hands over only what a handler declares. */
export function keepLength(
  front: { readonly length: number },
  behind: { readonly length: number },
): void {
  Object.defineProperty(front, 'length', { value: behind.length, configurable: true });
}
