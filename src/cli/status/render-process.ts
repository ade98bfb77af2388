import type { Diagnosis, DrainDiagnosis, StallDiagnosis } from '../../core/diagnosis.js';
import type { LeaseView } from '../../core/lease-host.js';
import { frameText } from '../../page/headline.js';
import { bytes, duration, percent } from '../../page/text.js';
import { type RenderOptions, fit } from './paint.js';

/** The process itself, its leases, its drain, the last stall, and what is amiss around it. */
export function processLines(diagnosis: Diagnosis, { width }: RenderOptions): string[] {
  const { leases, drain, stall, findings } = diagnosis;
  const lines: (readonly [string, string])[] = [
    ['process', processText(diagnosis)],
    ...leases.map((lease) => ['lease', leaseText(lease)] as const),
    ...(drain === undefined ? [] : [['drain', drainText(drain)] as const]),
    ...(stall === undefined ? [] : [['stall', stallText(stall)] as const]),
    ...findings.map((finding) => ['finding', finding] as const),
  ];
  return lines.map(([name, text]) => `  ${name.padEnd(8)} ${fit(text, width - 12)}`);
}

function processText({ process }: Diagnosis): string {
  const { rssBytes, memoryLimitBytes: limit, main, loopBeatAgeMs, inFlight } = process;
  const share = limit === undefined ? '' : ` of ${bytes(limit)}, ${percent(rssBytes / limit)}`;
  const parts = [
    `memory ${bytes(rssBytes)}${share}`,
    ...(main === undefined
      ? []
      : [
          `heap ${bytes(main.heapUsedBytes)} of ${bytes(main.heapLimitBytes)}`,
          `loop ${percent(main.utilisation)} busy`,
        ]),
    ...(loopBeatAgeMs === undefined ? [] : [`last turned ${duration(loopBeatAgeMs)} ago`]),
    `${inFlight} in flight`,
  ];
  return parts.join(' · ');
}

function leaseText({ name, state, fence, remainingMs, backend, holder }: LeaseView): string {
  const token = fence === undefined ? '' : ` token ${fence}`;
  const left = remainingMs === undefined ? '' : `, ${duration(remainingMs)} left`;
  return `${name} ${state}${token}${left} (${backend}, ${holder})`;
}

function drainText({ reason, leftMs, steps, open }: DrainDiagnosis): string {
  const running = steps.find(({ state }) => state === 'running')?.step ?? 'ended';
  const waits = open.length === 0 ? '' : `, waits for ${open.join(', ')}`;
  return `${reason}: ${running}, ${duration(leftMs)} left${waits}`;
}

function stallText({ at, blockedForMs, ongoing, cause }: StallDiagnosis): string {
  const frame = 'frames' in cause ? cause.frames?.[0] : undefined;
  const where = frame === undefined ? '' : ` in ${frameText(frame)}`;
  return `${ongoing ? 'blocked for' : `${at}, was blocked for`} ${duration(blockedForMs)}${where}`;
}
