import type { FleetInstance, FleetView } from '../../fleet.js';
import { MARKS, type Paint, cell, fit } from '../status/paint.js';
import { type InstanceWords, headline, instanceWords, notes, worstFirst } from './words.js';

/** How a fleet is drawn. */
export interface FleetRenderOptions {
  readonly paint: Paint;
  /** Columns of the terminal. */
  readonly width: number;
  /** Rows that fit; the others are counted. */
  readonly rows: number;
}

const HEADS = { state: 'state', name: 'name', says: 'readiness', release: 'version' } as const;
const TAIL = { age: 'age', heartbeat: 'heartbeat', token: 'token' } as const;
type Column = keyof typeof HEADS | keyof typeof TAIL;
const COLUMNS: readonly Column[] = [
  'state',
  'name',
  'says',
  'release',
  'age',
  'heartbeat',
  'token',
];
/** Left out first where it is narrow. */
const DISPENSABLE: readonly Column[] = ['token', 'age', 'release', 'heartbeat'];
/** Names and reasons may be cut by so much before a column goes. */
const CUTTABLE = 24;
const NARROWEST = 6;

/** The fleet as lines of text, the worst first. */
export function renderFleet(
  view: FleetView,
  list: readonly FleetInstance[],
  options: FleetRenderOptions,
): string {
  const { paint, width, rows } = options;
  const { tone, text } = headline(view, list);
  const shown = worstFirst(list).slice(0, rows).map(instanceWords);
  const lines = [
    paint.bold(paint.tone(tone, `${MARKS[tone]} ${fit(text, width - 2)}`)),
    ...notes(view).map((note) => `  ${fit(note, width - 2)}`),
    ...(shown.length === 0 ? [] : ['', ...table(shown, options)]),
    ...(list.length > shown.length ? [paint.dim(`  and ${list.length - shown.length} more`)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function table(rows: readonly InstanceWords[], { paint, width }: FleetRenderOptions): string[] {
  const heads: Record<Column, string> = { ...HEADS, ...TAIL };
  const widthOf = (column: Column): number =>
    Math.max(heads[column].length, ...rows.map((row) => row[column].length));
  const widths = new Map(COLUMNS.map((column) => [column, Math.min(48, widthOf(column))]));
  for (const column of DISPENSABLE) if (total(widths) > width + CUTTABLE) widths.delete(column);
  shrink(widths, width);
  const line = (words: Readonly<Record<Column, string>>): string =>
    [...widths]
      .map(([column, columns]) => cell(words[column], columns))
      .join('  ')
      .trimEnd();
  return [
    paint.dim(`    ${line(heads)}`),
    ...rows.map((row) => paint.tone(row.tone, `  ${MARKS[row.tone]} `) + line(row)),
  ];
}

function total(widths: ReadonlyMap<Column, number>): number {
  let sum = 4;
  for (const columns of widths.values()) sum += columns + 2;
  return sum - 2;
}

/** Cuts the wider of names and reasons until the line fits. */
function shrink(widths: Map<Column, number>, width: number): void {
  const widest = (): Column =>
    (widths.get('says') ?? 0) > (widths.get('name') ?? 0) ? 'says' : 'name';
  for (let column = widest(); total(widths) > width; column = widest()) {
    const columns = widths.get(column) ?? 0;
    if (columns <= NARROWEST) return;
    widths.set(column, columns - 1);
  }
}
