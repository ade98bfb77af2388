import type { Diagnosis, ProbeDiagnosis } from '../core/diagnosis.js';
import type { StackFrame } from '../core/probe-host.js';
import { reasonText } from './reason-text.js';
import type { Tone } from './pieces.js';
import { duration, plural } from './text.js';

/** A service is never idle. */
type HeadlineTone = Exclude<Tone, 'idle'>;

/** What somebody must know within seconds. */
export interface Headline {
  readonly tone: HeadlineTone;
  /** Short enough for the title of a browser's tab. */
  readonly state: string;
  /** Why, as half a sentence; empty when there is nothing to explain. */
  readonly because: string;
  /** What it means for traffic and for the process. */
  readonly meaning: string;
  /** An ISO 8601 time. */
  readonly since?: string | undefined;
  /** The probe whose chain explains it. */
  readonly probe?: keyof Diagnosis['probes'];
}

/** Says what is wrong, the worst first. */
export function headlineOf(diagnosis: Diagnosis): Headline {
  const { liveness, startup, readiness } = diagnosis.probes;
  if (diagnosis.phase === 'stopped') return stopped();
  if (diagnosis.process.loopStalled) return blocked(diagnosis);
  if (liveness.status === 'fail') return notLive(liveness);
  if (diagnosis.phase === 'draining') return draining(diagnosis);
  if (startup.status === 'fail') return starting(startup);
  if (readiness.status === 'fail') return notReady(readiness);
  if (readiness.status === 'warn') return inTrouble(readiness);
  return ready(diagnosis);
}

/** The innermost frame that is not of Node.js itself: what it calls is rarely to blame. */
function culpritOf(frames: readonly StackFrame[] = []): StackFrame | undefined {
  return frames.find(({ file }) => file !== '' && !file.startsWith('node:')) ?? frames[0];
}

/** A stack frame as Node.js prints it. */
export function frameText({ functionName, file, line, column }: StackFrame): string {
  return `${functionName === '' ? '(anonymous)' : functionName} (${file}:${line}:${column})`;
}

function stopped(): Headline {
  const meaning = 'It answers probes until the last moment; everything else has been closed.';
  return { tone: 'busy', state: 'Stopped', because: 'the process is about to end', meaning };
}

function blocked({ process, probes, stall }: Diagnosis): Headline {
  const ageMs = process.loopBeatAgeMs ?? stall?.blockedForMs ?? 0;
  const cause = stall?.ongoing === true ? stall.cause : undefined;
  const frame = cause !== undefined && 'frames' in cause ? culpritOf(cause.frames) : undefined;
  const culprit = frame === undefined ? '' : `, in ${frameText(frame)}`;
  const told =
    probes.liveness.status === 'fail' ? 'Liveness fails: an orchestrator restarts it.' : '';
  return {
    tone: 'fail',
    state: 'Main loop blocked',
    because: `for ${duration(ageMs)}${culprit}`,
    meaning: `No request is being served. ${told}`.trim(),
    since: stall?.ongoing === true ? stall.at : probes.liveness.since,
    probe: 'liveness',
  };
}

function notLive(liveness: ProbeDiagnosis): Headline {
  return {
    ...explained(liveness, 'fail', 'Not live'),
    meaning: 'Liveness fails: an orchestrator restarts this process.',
    probe: 'liveness',
  };
}

function draining({ drain, probes }: Diagnosis): Headline {
  const open = drain === undefined ? '' : plural(drain.open.length, 'thing');
  const left = drain === undefined ? '' : ` It ends in ${duration(drain.leftMs)} at the latest.`;
  const waits = drain !== undefined && drain.open.length > 0 ? ` Waits for ${open}.` : '';
  return {
    tone: 'busy',
    state: 'Draining',
    because: drain?.reason ?? 'the process is shutting down',
    meaning: `It gets no new traffic and finishes what it has.${waits}${left}`,
    since: drain?.since ?? probes.readiness.since,
  };
}

function starting(startup: ProbeDiagnosis): Headline {
  const late = startup.reason.startsWith('startup_timeout');
  return {
    ...explained(startup, late ? 'fail' : 'busy', late ? 'Start-up failed' : 'Starting'),
    meaning: 'It gets no traffic yet.',
    probe: 'startup',
  };
}

function notReady(readiness: ProbeDiagnosis): Headline {
  return {
    ...explained(readiness, 'fail', 'Not ready'),
    meaning: 'It gets no new traffic. The process itself is sound and is not restarted.',
    probe: 'readiness',
  };
}

function inTrouble(readiness: ProbeDiagnosis): Headline {
  const out = readiness.httpStatus >= 400;
  return {
    ...explained(readiness, 'warn', out ? 'Degraded' : 'Ready, but degraded'),
    meaning: out ? 'Readiness answers 503: it gets no new traffic.' : 'It gets traffic as usual.',
    probe: 'readiness',
  };
}

function ready({ checks, probes }: Diagnosis): Headline {
  const amiss = checks.filter(({ verdict }) => verdict !== 'pass').length;
  const all =
    checks.length === 0 ? 'It has no checks.' : `${plural(checks.length, 'check')}, all pass.`;
  const { length } = checks;
  return {
    tone: 'pass',
    state: 'Ready',
    because:
      amiss === 0
        ? ''
        : `${amiss} of ${plural(length, 'check')} ${amiss === 1 ? 'does' : 'do'} not pass, which readiness does not need`,
    meaning: amiss === 0 ? `It gets traffic. ${all}` : 'It gets traffic.',
    since: probes.readiness.since,
  };
}

function explained(
  { reason, since, why, moreReasons = 0 }: ProbeDiagnosis,
  tone: HeadlineTone,
  state: string,
): Omit<Headline, 'meaning'> {
  const count = why.length - 1 + moreReasons;
  const others = count > 0 ? `, and ${plural(count, 'more reason')}` : '';
  const error = why[0]?.findLast(({ kind }) => kind === 'error');
  const told = error === undefined ? '' : `: ${error.text}`;
  return { tone, state, because: `${reasonText(reason)}${told}${others}`, since };
}
