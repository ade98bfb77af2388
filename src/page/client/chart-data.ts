import type { CheckDiagnosis, Diagnosis, ProcessDiagnosis } from '../../core/diagnosis.js';
import { bytes, duration, percent, wallMs } from '../text.js';

/** One line of a chart. */
export interface ChartLine {
  readonly label: string;
  readonly y: readonly (number | null)[];
  /** The name of a colour of the style sheet. */
  readonly colour: string;
  readonly look?: 'dashed' | 'points';
}

export interface ChartData {
  /** Seconds since the epoch. */
  readonly x: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly say: (value: number) => string;
  /** Without axes and legend. */
  readonly small?: boolean;
  /** Distances between lines of the grid; by default decimal ones. */
  readonly steps?: readonly number[];
  /** The top of the scale, at least. */
  readonly most?: number;
}

/** From 1 MiB to 512 GiB. */
const BINARY = Array.from({ length: 20 }, (_, power) => 2 ** (20 + power));

/** What a chart shows; nothing when the report has it no more. */
export function dataOf(kind: string, of: string, diagnosis: Diagnosis): ChartData | undefined {
  const check = diagnosis.checks.find(({ name }) => name === of);
  switch (kind) {
    case 'spark':
      return check && { ...runs(check), small: true };
    case 'latency':
      return check && runs(check);
    case 'history':
      return check && history(check);
    default:
      return process(kind, diagnosis.process);
  }
}

function runs({ recent }: CheckDiagnosis): ChartData {
  const failed = recent.map(({ status, durationMs }) => (status === 'fail' ? durationMs : null));
  return {
    x: recent.map(({ at }) => seconds(at)),
    lines: [
      { label: 'took', y: recent.map(({ durationMs }) => durationMs), colour: '--line' },
      { label: 'failed', y: failed, colour: '--fail', look: 'points' },
    ],
    say: duration,
  };
}

function history({ history: steps }: CheckDiagnosis): ChartData {
  const failed = steps.map(({ failed: count, maxMs }) => (count > 0 ? maxMs : null));
  return {
    x: steps.map(({ at }) => seconds(at)),
    lines: [
      { label: 'mean', y: steps.map(({ meanMs }) => meanMs), colour: '--line' },
      { label: 'slowest', y: steps.map(({ maxMs }) => maxMs), colour: '--second', look: 'dashed' },
      { label: 'with failures', y: failed, colour: '--fail', look: 'points' },
    ],
    say: duration,
  };
}

function process(
  kind: string,
  { series, memoryLimitBytes }: ProcessDiagnosis,
): ChartData | undefined {
  const x = series.map(({ at }) => seconds(at));
  switch (kind) {
    case 'delay':
      return {
        x,
        lines: [
          line(
            'delay',
            series.map(({ loopDelayMs }) => loopDelayMs),
          ),
        ],
        say: duration,
        most: 20,
      };
    case 'busy':
      return {
        x,
        lines: [
          line(
            'busy',
            series.map(({ utilisation }) => utilisation ?? null),
          ),
        ],
        say: percent,
        most: 1,
      };
    case 'work':
      return {
        x,
        lines: [
          line(
            'in flight',
            series.map(({ inFlight }) => inFlight),
          ),
        ],
        say: String,
        most: 5,
      };
    case 'memory':
      return { x, lines: memoryLines(series, memoryLimitBytes), say: bytes, steps: BINARY };
    default:
      return undefined;
  }
}

function memoryLines(series: ProcessDiagnosis['series'], limit: number | undefined): ChartLine[] {
  const lines: ChartLine[] = [
    line(
      'resident',
      series.map(({ rssBytes }) => rssBytes),
    ),
    {
      ...line(
        'heap',
        series.map(({ heapUsedBytes }) => heapUsedBytes ?? null),
      ),
      colour: '--second',
    },
  ];
  if (limit === undefined) return lines;
  return [
    ...lines,
    { label: 'limit', y: series.map(() => limit), colour: '--fail', look: 'dashed' },
  ];
}

function line(label: string, y: readonly (number | null)[]): ChartLine {
  return { label, y, colour: '--line' };
}

function seconds(iso: string): number {
  return wallMs(iso) / 1_000;
}
