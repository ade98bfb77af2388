/**
 * State that belongs to the process, not to a copy of this module: the main entry point and the others are bundled apart, and
 * a project may have hale installed twice. `name` changes when the shape of the state does.
 */
export function sharedState<T extends object>(name: string, create: () => T): T {
  const key = Symbol.for(`hale.${name}`);
  const holder = globalThis as { [key: symbol]: T | undefined };
  return (holder[key] ??= create());
}
