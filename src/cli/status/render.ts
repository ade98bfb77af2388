import type { CheckDiagnosis, Diagnosis, ProbeDiagnosis } from '../../core/diagnosis.js';
import { headlineOf } from '../../page/headline.js';
import { agoMs, duration, timeOfDay } from '../../page/text.js';
import { thresholdText } from '../../page/threshold-text.js';
import { MARKS, type RenderOptions, cell, fit, sparkline, wrap } from './paint.js';
import { processLines } from './render-process.js';

const CHANGES = 8;
const CHAIN_LINES = 3;
const RUNS = 30;
/** Mark, impact, verdict, duration and age, with the spaces between them. */
const FIXED_COLUMNS = 40;

/** The health of a process at a glance, the worst first, as lines of text. */
export function renderDiagnosis(diagnosis: Diagnosis, options: RenderOptions): string {
  const lines = [
    ...headLines(diagnosis, options),
    '',
    ...probeLines(diagnosis, options),
    ...checkLines(diagnosis, options),
    '',
    ...processLines(diagnosis, options),
    ...changeLines(diagnosis, options),
  ];
  return `${lines.join('\n')}\n`;
}

function headLines(diagnosis: Diagnosis, { paint, width }: RenderOptions): string[] {
  const { instance, uptimeMs, at } = diagnosis;
  const { tone, state, because, meaning, since } = headlineOf(diagnosis);
  const lasting = since === undefined ? '' : `, since ${timeText(since, at)}`;
  const release = [instance.version, instance.releaseId].filter((text) => text !== undefined);
  const who = [
    ...(release.length === 0 ? [] : [release.join(' ')]),
    `pid ${instance.pid} on ${instance.host}`,
    `Node.js ${instance.nodeVersion}`,
    `up ${duration(uptimeMs)}`,
  ];
  const head = fit(because === '' ? state : `${state}: ${because}`, width - lasting.length - 2);
  return [
    `${paint.bold(paint.tone(tone, `${MARKS[tone]} ${head}`))}${lasting}`,
    `  ${fit(meaning, width - 2)}`,
    `  ${paint.dim(fit(who.join(' · '), width - 2))}`,
  ];
}

/** Nothing that came from elsewhere is written as it is, whatever it should be. */
function timeText(iso: string, at: string): string {
  return fit(timeOfDay(iso, at), 19);
}

function probeLines({ probes, at }: Diagnosis, options: RenderOptions): string[] {
  return (['readiness', 'liveness', 'startup'] as const).flatMap((name) =>
    oneProbe(name, probes[name], at, options),
  );
}

function oneProbe(
  name: string,
  { status, httpStatus, reason, since, why }: ProbeDiagnosis,
  at: string,
  { paint, width }: RenderOptions,
): string[] {
  const lasted = since === undefined ? '' : ` for ${duration(agoMs(since, at))}`;
  const line = `${paint.tone(status, MARKS[status])} ${cell(name, 10)} ${fit(String(httpStatus), 3)}  ${fit(reason, width - 30)}${lasted}`;
  if (status === 'pass') return [line];
  const chains = why.map((steps) => steps.map(({ text }) => text).join(' ← '));
  const wrapped = chains.flatMap((text) => wrap(text, width - 4, CHAIN_LINES));
  return [line, ...wrapped.map((text) => `    ${paint.dim(text)}`)];
}

const ORDER = { fail: 0, unknown: 1, warn: 2, pass: 3 };

function checkLines({ checks, at }: Diagnosis, options: RenderOptions): string[] {
  if (checks.length === 0) return [];
  const sorted = checks.toSorted((a, b) => ORDER[a.verdict] - ORDER[b.verdict]);
  const nameWidth = Math.min(28, Math.max(...checks.map(({ name }) => name.length), 5));
  const { paint } = options;
  const head = `  ${cell('check', nameWidth)} ${cell('impact', 9)} ${cell('verdict', 8)} ${cell('took', 8)} ${cell('age', 8)} last runs`;
  return [
    '',
    paint.dim(head),
    ...sorted.flatMap((check) => oneCheck(check, { ...options, nameWidth, at })),
  ];
}

function oneCheck(
  check: CheckDiagnosis,
  { paint, width, nameWidth, at }: RenderOptions & { nameWidth: number; at: string },
): string[] {
  const { name, impact, verdict, lastDurationMs, ageMs, recent, since } = check;
  const line = [
    paint.tone(verdict, MARKS[verdict]),
    cell(name, nameWidth),
    cell(impact, 9),
    paint.tone(verdict, cell(verdict, 8)),
    cell(lastDurationMs === undefined ? '' : duration(lastDurationMs), 8),
    cell(ageMs === undefined ? '' : duration(ageMs), 8),
    sparkline(
      lastOf(recent, width - nameWidth - FIXED_COLUMNS).map(({ durationMs }) => durationMs),
    ),
  ].join(' ');
  const told = [
    ...(check.code === undefined ? [] : [check.code]),
    ...(check.output === undefined ? [] : [check.output]),
    ...(check.threshold === undefined || check.threshold.count === 0
      ? []
      : [thresholdText(check.threshold)]),
    ...(verdict === 'pass' || since === undefined ? [] : [`for ${duration(agoMs(since, at))}`]),
    ...(check.hanging === 0
      ? []
      : [check.hanging === 1 ? '1 run hangs' : `${check.hanging} runs hang`]),
  ];
  if (told.length === 0) return [line];
  return [line, `    ${paint.dim(fit(told.join(' · '), width - 4))}`];
}

function lastOf<T>(all: readonly T[], count: number): readonly T[] {
  return all.slice(all.length - Math.min(RUNS, Math.max(1, count)));
}

function changeLines({ timeline, at }: Diagnosis, { paint, width }: RenderOptions): string[] {
  if (timeline.length === 0) return [];
  const lines = timeline.slice(0, CHANGES).map((entry) => {
    const { from, to, lastedMs, text = '', name } = entry;
    const change = from === undefined ? to : `${from} → ${to}`;
    const lasted = lastedMs === undefined ? '' : ` after ${duration(lastedMs)}`;
    return `  ${timeText(entry.at, at)} ${fit(`${entry.kind} ${name}: ${change}${lasted}${text === '' ? '' : `, ${text}`}`, width - 12)}`;
  });
  return ['', paint.dim('  last changes (UTC)'), ...lines];
}
