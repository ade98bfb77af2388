/** What this program runs on, as far as ending it goes. */
export interface Runtime {
  readonly name: 'node' | 'Bun' | 'Deno';
  readonly pid: number | undefined;
}

/** Looks at the runtime; one without processes counts as Node.js without a process id. */
export function thisRuntime(): Runtime {
  const { pid, versions = {} } = (globalThis.process ?? {}) as Partial<NodeJS.Process>;
  const name = 'bun' in versions ? 'Bun' : 'deno' in versions ? 'Deno' : 'node';
  return { name, pid };
}
