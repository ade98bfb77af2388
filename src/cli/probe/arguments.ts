import {
  type ParsedTarget,
  type ProbeTarget,
  defaultTarget,
  parseTarget,
  parseUnixTarget,
  shown,
} from './target.js';

/** A probe that can be run. */
export interface ProbeCall {
  readonly target: ProbeTarget;
  /** For the whole probe, name look-up and handshake included. */
  readonly timeoutMs: number;
  /** Whether any certificate is taken. */
  readonly insecure: boolean;
}

export type ParsedArguments =
  | { readonly kind: 'run'; readonly call: ProbeCall }
  | { readonly kind: 'help' }
  | { readonly kind: 'usage'; readonly problem: string };

interface Given {
  target?: string;
  unix?: string;
  timeout?: string;
  insecure: boolean;
}

/** Longer than hale lets an on-demand probe wait for its checks. */
const TIMEOUT_MS = 2000;
const LONGEST_TIMEOUT_MS = 600_000;

/** Reads the arguments of `hale probe`; by hand, because a parser's import would cost more than the probe. */
export function parseArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ParsedArguments {
  if (args.includes('--help') || args.includes('-h')) return { kind: 'help' };
  const given = collect(args);
  if (typeof given === 'string') return { kind: 'usage', problem: given };
  const timeoutMs = timeoutOf(given.timeout);
  if (timeoutMs === undefined) {
    const problem = `--timeout must be whole milliseconds from 1 to ${LONGEST_TIMEOUT_MS}, got "${given.timeout}"`;
    return { kind: 'usage', problem };
  }
  const parsed = targetOf(given, env);
  if (!parsed.ok) return { kind: 'usage', problem: parsed.problem };
  return { kind: 'run', call: { target: parsed.target, timeoutMs, insecure: given.insecure } };
}

/** Sorts the arguments out; a text is what is wrong with them. */
function collect(args: readonly string[]): Given | string {
  const given: Given = { insecure: false };
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const [, name, inline] = /^--(unix|timeout)(?:=(.*))?$/.exec(arg) ?? [];
    if (name === 'unix' || name === 'timeout') {
      if (inline === undefined) index += 1;
      const value = inline ?? args[index];
      if (value === undefined || value === '') return `--${name} needs a value`;
      given[name] = value;
    } else if (arg === '--insecure') given.insecure = true;
    else if (arg.startsWith('-')) return `unknown option ${arg}`;
    else if (given.target === undefined) given.target = arg;
    else return `one target only, got "${shown(given.target)}" and "${shown(arg)}"`;
  }
  return given;
}

function timeoutOf(text: string | undefined): number | undefined {
  if (text === undefined) return TIMEOUT_MS;
  const ms = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return ms >= 1 && ms <= LONGEST_TIMEOUT_MS ? ms : undefined;
}

function targetOf(
  { unix, target }: Given,
  env: Readonly<Record<string, string | undefined>>,
): ParsedTarget {
  if (unix !== undefined) return parseUnixTarget(unix, target);
  return target === undefined ? defaultTarget(env['HALE_PORT']) : parseTarget(target);
}
