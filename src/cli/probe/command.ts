import type { Clock } from '../../core/clock.js';
import { parseArguments } from './arguments.js';
import { ask } from './ask.js';

/** What a command printed and ended with. */
export interface CommandResult {
  /** 0 pass, 1 fail, 2 the command was not understood. */
  readonly exitCode: 0 | 1 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

export const PROBE_USAGE = `usage: hale probe [<url> | <host:port>] [--unix <path>] [--timeout <ms>] [--insecure]

Asks once and prints one line. Exit code 0: pass or warn, 1: fail, 2: not understood.

  http://, https://   passes on 2xx; a redirect is not followed and fails
  host:port           the same as http://host:port/readyz
  tcp://host:port     passes when a connection is accepted
  grpc://host:port/s  passes while service s (none: the server) is SERVING; grpcs:// with TLS
  file:///path        passes while the file exists and is not older than 10 s
  --unix <path>       HTTP over a Unix socket; the target is then a path, /readyz by default
  --timeout <ms>      for the whole probe, 2000 by default
  --insecure          takes any certificate

Without a target: http://127.0.0.1:$HALE_PORT/readyz, port 9400 by default.
`;

/** Runs `hale probe`. */
export async function probeCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  clock: Pick<Clock, 'setTimeout' | 'wallNow'>,
): Promise<CommandResult> {
  const parsed = parseArguments(args, env);
  if (parsed.kind === 'help') return { exitCode: 0, stdout: PROBE_USAGE, stderr: '' };
  if (parsed.kind === 'usage')
    return { exitCode: 2, stdout: '', stderr: `hale probe: ${parsed.problem}\n${PROBE_USAGE}` };
  const { pass, line } = await ask(parsed.call, clock);
  return { exitCode: pass ? 0 : 1, stdout: `${line}\n`, stderr: '' };
}
