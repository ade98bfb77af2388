/** Values that a check may throw or return to take its caller down. */
export const hostileValues: readonly { name: string; make: () => unknown }[] = [
  { name: 'undefined', make: () => undefined },
  { name: 'null', make: () => null },
  { name: 'an empty text', make: () => '' },
  { name: 'a symbol', make: () => Symbol('s') },
  { name: 'a function', make: () => () => 5 },
  { name: 'a bigint', make: () => 2n ** 500_000n },
  { name: 'a frozen object', make: () => Object.freeze({ x: 1 }) },
  { name: 'a revoked proxy', make: revokedProxy },
  { name: 'a proxy that throws on everything', make: throwingProxy },
  { name: 'getters that throw', make: throwingGetters },
  { name: 'a hostile toString', make: hostileToString },
  { name: 'a hostile constructor', make: () => ({ constructor: { name: revokedProxy() } }) },
  { name: 'an aggregate of nothing', make: () => new AggregateError([]) },
  { name: 'an aggregate of itself', make: aggregateOfItself },
  { name: 'a cyclic cause', make: cyclicCause },
  { name: 'a cyclic object', make: cyclicObject },
  { name: 'a huge text', make: () => 'secret '.repeat(500_000) },
  { name: 'a huge message', make: () => new Error('x'.repeat(5_000_000)) },
  { name: 'a wide and deep tree', make: () => tree(6) },
  { name: 'a long array', make: () => Array.from({ length: 1_000_000 }, () => 'x') },
  { name: 'a large buffer', make: () => new Uint8Array(5_000_000) },
  { name: 'an array of hostile species', make: hostileArray },
  { name: 'no prototype', make: () => Object.assign(Object.create(null) as object, { x: 1 }) },
  {
    name: 'an own __proto__',
    make: () => JSON.parse('{"__proto__": {"status": "pass"}}') as unknown,
  },
];

function refuse(): never {
  throw new Error('hostile');
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function throwingProxy(): object {
  return new Proxy(
    {},
    {
      get: refuse,
      has: refuse,
      ownKeys: refuse,
      getPrototypeOf: refuse,
      getOwnPropertyDescriptor: refuse,
    },
  );
}

function throwingGetters(): object {
  const keys = ['message', 'code', 'name', 'cause', 'errors', 'status', 'constructor', 'toJSON'];
  const getters = keys.map((key) => [key, { get: refuse, enumerable: true }] as const);
  return Object.defineProperties({}, Object.fromEntries(getters));
}

function hostileToString(): object {
  return { toString: refuse, valueOf: refuse, [Symbol.toPrimitive]: refuse, message: 5, name: 6 };
}

function aggregateOfItself(): AggregateError {
  const errors: unknown[] = [];
  const error = new AggregateError(errors);
  error.errors.push(error);
  return error;
}

function cyclicCause(): Error {
  const inner = new Error('inner');
  const outer = new Error('outer', { cause: inner });
  inner.cause = outer;
  return outer;
}

function cyclicObject(): object {
  const cyclic: Record<string, unknown> = { a: 1 };
  cyclic['self'] = cyclic;
  return cyclic;
}

function tree(depth: number): unknown {
  if (depth === 0) return 'leaf';
  const branch = tree(depth - 1);
  return Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, branch]));
}

function hostileArray(): unknown[] {
  class Hostile extends Array<unknown> {
    static override get [Symbol.species](): never {
      return refuse();
    }
  }
  return Hostile.of(1, 2, 3);
}
