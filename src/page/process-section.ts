import type {
  Diagnosis,
  MainThreadReadings,
  ProcessDiagnosis,
  ProcessSample,
} from '../core/diagnosis.js';
import { type Html, html } from './html.js';
import { chart, facts, growing } from './pieces.js';
import { bytes, duration, percent } from './text.js';

/** The main loop and the memory, as figures and over time. */
export function processSection({ process }: Diagnosis): Html {
  return html`<div class="tiles">
      ${loopTile(process)}${busyTile(process)}${memoryTile(process)}${workTile(process)}
    </div>
    ${facts(mainFacts(process))}`;
}

interface Tile {
  readonly id: string;
  readonly title: string;
  readonly figure: Html | string;
  readonly note?: Html | string | false;
  /** The line in words; absent where there is nothing to draw yet. */
  readonly words?: string | undefined;
}

function tile({ id, title, figure, note, words }: Tile): Html {
  return html`<div class="card" id="process-${id}">
    <h3>${title}</h3>
    <p class="figure">${figure}</p>
    ${note !== undefined && note !== false && html`<p class="quiet">${note}</p>`}
    ${words !== undefined && chart(id, 'process', words)}
  </div>`;
}

function loopTile({ series, loopBeatAgeMs, loopStalled }: ProcessDiagnosis): Html {
  const last = series.at(-1)?.loopDelayMs;
  const figure = loopStalled ? 'blocked' : last === undefined ? '–' : duration(last);
  const note = loopBeatAgeMs !== undefined && html`last beat ${growing(loopBeatAgeMs)} ago`;
  const words = wordsOf(series, 'Main loop delay', ({ loopDelayMs }) => loopDelayMs, duration);
  return tile({ id: 'delay', title: 'Main loop delay', figure, note, words });
}

function busyTile({ series, main }: ProcessDiagnosis): Html {
  const figure = main === undefined ? '–' : percent(main.utilisation);
  const words = wordsOf(series, 'Main loop busy', ({ utilisation }) => utilisation, percent);
  const note = main === undefined ? 'not told yet' : 'share of the time it works';
  return tile({ id: 'busy', title: 'Main loop busy', figure, note, words });
}

function memoryTile({ series, rssBytes, memoryLimitBytes, main }: ProcessDiagnosis): Html {
  const limit =
    memoryLimitBytes === undefined
      ? 'resident; no limit known'
      : `resident, ${percent(rssBytes / memoryLimitBytes)} of ${bytes(memoryLimitBytes)}`;
  const heap =
    main === undefined
      ? ''
      : `; heap ${bytes(main.heapUsedBytes)} of ${bytes(main.heapLimitBytes)}`;
  const words = wordsOf(series, 'Resident memory', ({ rssBytes: rss }) => rss, bytes);
  return tile({
    id: 'memory',
    title: 'Memory',
    figure: bytes(rssBytes),
    note: `${limit}${heap}`,
    words,
  });
}

function workTile({ series, inFlight }: ProcessDiagnosis): Html {
  const words = wordsOf(series, 'Work in flight', (sample) => sample.inFlight, String);
  return tile({
    id: 'work',
    title: 'In flight',
    figure: String(inFlight),
    note: 'requests and jobs',
    words,
  });
}

function mainFacts({
  main,
  snapshotAgeMs,
}: ProcessDiagnosis): [string, Html | string | undefined][] {
  return [
    ...(main === undefined ? [] : readings(main)),
    [
      'Last word of the main loop',
      snapshotAgeMs === undefined ? undefined : html`${growing(snapshotAgeMs)} ago`,
    ],
  ];
}

function readings({ ageMs, externalBytes, gc }: MainThreadReadings): [string, Html | string][] {
  const { pauses, totalMs, longestMs } = gc;
  return [
    [
      'GC pauses',
      pauses === 0
        ? 'none yet'
        : `${pauses}, ${duration(totalMs)} in all, longest ${duration(longestMs)}`,
    ],
    ['External memory', bytes(externalBytes)],
    ['Heap and utilisation as of', html`${growing(ageMs)} ago`],
  ];
}

/** A series in words; nothing when it has too few points for a line. */
function wordsOf(
  series: readonly ProcessSample[],
  title: string,
  read: (sample: ProcessSample) => number | undefined,
  say: (value: number) => string,
): string | undefined {
  const values = series.map(read).filter((value) => value !== undefined);
  if (values.length < 2) return undefined;
  const last = say(values.at(-1) ?? 0);
  return `${title} over time: ${say(Math.min(...values))} to ${say(Math.max(...values))}, now ${last}`;
}
