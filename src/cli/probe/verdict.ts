import type { HttpAnswer } from './http-answer.js';
import { shown } from './target.js';

/** The end of a probe: whether it passes and the line that is printed. */
export interface ProbeResult {
  readonly pass: boolean;
  readonly line: string;
}

const MAX_LINE = 300;

/** Control characters, breaks of lines, and the marks that turn the direction of writing around. */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu;

/** Judges an HTTP answer: 2xx passes, everything else fails, and a redirect is not followed. */
export function judgeHttp({ status, location, body }: HttpAnswer): ProbeResult {
  if (status >= 300 && status < 400) {
    const where = location === undefined ? 'nowhere' : shown(location);
    return failed(`HTTP ${status}: redirects to ${where}, which is not followed`);
  }
  const said = parse(body);
  const pass = status >= 200 && status < 300;
  const word = pass && said.status === 'warn' ? 'warn' : pass ? 'pass' : 'fail';
  return { pass, line: oneLine(`${word} ${said.reason ?? `HTTP ${status}`}`) };
}

/** Judges a file that exists while its probe passes: what it says is only told. */
export function judgeFile(text: string): ProbeResult {
  const said = parse(text);
  const word = said.status === 'warn' ? 'warn' : 'pass';
  return { pass: true, line: oneLine(`${word} ${said.reason ?? 'the file exists'}`) };
}

/** A probe that failed before there was an answer. */
export function failed(why: string): ProbeResult {
  return { pass: false, line: oneLine(`fail ${why}`) };
}

/** The status and the reason of hale's body, where it has them. */
function parse(body: string): { readonly status?: unknown; readonly reason?: string } {
  try {
    const { status, reason } = JSON.parse(body) as { status?: unknown; reason?: unknown };
    return { status, ...(typeof reason === 'string' && reason !== '' ? { reason } : {}) };
  } catch {
    return {};
  }
}

/** The text comes from whoever answers, and ends up in a terminal or an orchestrator's event. */
function oneLine(text: string): string {
  const clean = text.replace(UNPRINTABLE, ' ');
  return clean.length > MAX_LINE ? `${clean.slice(0, MAX_LINE)}...` : clean;
}
