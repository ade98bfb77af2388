import type { Clock } from '../../core/clock.js';
import { DIAGNOSIS_SCHEMA, type Diagnosis } from '../../core/diagnosis.js';
import { errorText } from '../../core/error-text.js';
import { plainText } from '../../core/plain-text.js';
import type { Terminal } from '../terminal.js';
import { type StatusCall, STATUS_USAGE, parseStatusArguments } from './arguments.js';
import { fetchDocument } from './fetch-document.js';
import { createPaint } from './paint.js';
import { renderDiagnosis } from './render.js';

/** 0 pass or warn, 1 fail, 2 not understood or no answer. */
export type StatusExit = 0 | 1 | 2;

type Look =
  | { readonly kind: 'seen'; readonly failing: boolean; readonly text: string }
  | { readonly kind: 'nothing'; readonly problem: string };

const EVERY_MS = 1000;
const HOME = '\u001B[H\u001B[J';

/** Runs `hale status`. */
export async function statusCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  clock: Pick<Clock, 'setTimeout'>,
  terminal: Terminal,
): Promise<StatusExit> {
  const parsed = parseStatusArguments(args, env);
  if (parsed.kind === 'help') {
    terminal.write(STATUS_USAGE);
    return 0;
  }
  if (parsed.kind === 'usage') {
    terminal.writeError(`hale status: ${plainText(parsed.problem)}\n${STATUS_USAGE}`);
    return 2;
  }
  const { call } = parsed;
  const colours = terminal.isTerminal && (env['NO_COLOR'] ?? '') === '';
  const draw = (): Promise<Look> => look(call, clock, terminal, colours);
  return call.watch ? watch(draw, clock, terminal) : once(draw, terminal);
}

async function once(draw: () => Promise<Look>, terminal: Terminal): Promise<StatusExit> {
  const seen = await draw();
  if (seen.kind === 'nothing') {
    terminal.writeError(`hale status: ${seen.problem}\n`);
    return 2;
  }
  terminal.write(seen.text);
  return seen.failing ? 1 : 0;
}

async function watch(
  draw: () => Promise<Look>,
  clock: Pick<Clock, 'setTimeout'>,
  terminal: Terminal,
): Promise<StatusExit> {
  let ended = false;
  let shown = '';
  let exit: StatusExit = 2;
  void terminal.interrupted.then(() => (ended = true));
  while (!ended) {
    const seen = await draw();
    exit = seen.kind === 'nothing' ? 2 : seen.failing ? 1 : 0;
    // What was seen last stays in view: it is the state before the process went away.
    if (seen.kind === 'seen') shown = seen.text;
    const note = seen.kind === 'nothing' ? `no answer: ${seen.problem}\n\n` : '';
    terminal.write(`${terminal.isTerminal ? HOME : ''}${note}${shown}`);
    await Promise.race([pause(clock), terminal.interrupted]);
  }
  return exit;
}

function pause(clock: Pick<Clock, 'setTimeout'>): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(resolve, EVERY_MS, { keepsProcessAlive: true });
  });
}

async function look(
  call: StatusCall,
  clock: Pick<Clock, 'setTimeout'>,
  { columns }: Terminal,
  colours: boolean,
): Promise<Look> {
  try {
    const { status, body } = await fetchDocument(call, clock);
    const document = parse(body, status);
    const failing = document.status === 'fail';
    if (call.json) return { kind: 'seen', failing, text: `${body.trimEnd()}\n` };
    const options = { paint: createPaint(colours), width: Math.max(40, columns ?? 120) };
    return { kind: 'seen', failing, text: renderDiagnosis(document.diagnosis, options) };
  } catch (error) {
    return { kind: 'nothing', problem: `${call.url.origin}: ${plainText(errorText(error))}` };
  }
}

/** @throws Error when it is no document that this version understands. */
function parse(body: string, httpStatus: number): { status: string; diagnosis: Diagnosis } {
  const told = `answered ${httpStatus}`;
  if (httpStatus === 401 || httpStatus === 403)
    throw new Error(`${told}: set HALE_DIAGNOSTIC_TOKEN, or --cert and --key`);
  let document: { status?: unknown; diagnosis?: { schema?: unknown } } | null;
  try {
    document = JSON.parse(body) as typeof document;
  } catch {
    throw new Error(`${told}, which is no JSON: is it the diagnostic listener?`);
  }
  const { status, diagnosis } = document ?? {};
  if (typeof status !== 'string' || diagnosis?.schema === undefined)
    throw new Error(`${told} without a diagnosis: is it the diagnostic listener?`);
  if (diagnosis.schema !== DIAGNOSIS_SCHEMA) {
    const schema = plainText(JSON.stringify(diagnosis.schema));
    throw new Error(`its schema is ${schema}; this hale reads ${DIAGNOSIS_SCHEMA}`);
  }
  return { status, diagnosis: diagnosis as Diagnosis };
}
